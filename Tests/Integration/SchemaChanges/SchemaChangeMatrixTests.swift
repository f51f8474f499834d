import MoorageHub
import MoorageSupport
import TestSupport
import Testing

/// docs/reference/schema-changes.md, cell by cell, on every database.
///
/// Each change is one hub with twelve devices: every combination of contact, edits and app. The
/// gate has six of them, so that each pair of words is there.
@Suite(.ownThreads) struct `The matrix of schema changes` {
    private static let page = "docs/reference/schema-changes.md"

    @Test func `has every change once, and no other`() throws {
        let names = SchemaChange.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(try MatrixDocument(Self.page).names.sorted() == names.sorted())
    }

    @Test(arguments: SchemaChange.all)
    func `is what docs/reference/schema-changes.md says`(change: SchemaChange) async throws {
        var found = ChangeMatrix()
        for kind in CentreKind.available {
            for (cell, result) in try await Self.results(of: change, on: kind) {
                found.set(result, for: cell)
            }
        }
        if MatrixDocument.isWritten {
            // A page without one of the databases would lose its rows.
            try #require(CentreKind.available.count == 3)
            return try MatrixDocument.replace(change.name, of: Self.page, with: found.text)
        }
        let expected = try ChangeMatrix(MatrixDocument(Self.page).section(change.name))
        let differences = expected.differences(from: found)
        #expect(
            differences.isEmpty,
            """
            \(change.name) ends in another way in \(differences.count) cells:
            \(differences.joined(separator: "\n"))
            The whole table as found, which MOORAGE_WRITE_DOCS=1 writes into the page:
            \(found.text)
            """)
    }

    private static func results(
        of change: SchemaChange, on kind: CentreKind
    ) async throws -> [ChangeCell: [String]] {
        let results = Locked<[ChangeCell: [String]]>([:])
        try await World.run(kind, schema: change.centralSchema(kind)) { world in
            var devices: [ChangedDevice] = []
            for (place, cell) in ChangeCell.tried(on: kind).enumerated() {
                devices.append(
                    try await ChangedDevice(cell, row: place + 1, of: change, in: world))
            }
            try world.centre.run(change.alter(kind))
            for device in devices { device.beginCounting() }
            for place in devices.indices where devices[place].cell.contact == .between {
                try await devices[place].sync()
            }
            _ = try await world.hub.attach()
            try world.centre.run(change.write)
            try world.centre.run("UPDATE calm SET total = 9 WHERE id <> 0")
            for place in devices.indices where devices[place].cell.contact == .after {
                try await devices[place].sync()
            }
            for place in devices.indices where devices[place].cell.app == .upgrades {
                try await devices[place].upgrade()
            }
            // The first round sends what waits, and the second one brings it to the others.
            for _ in 0..<2 {
                for place in devices.indices { try await devices[place].sync() }
            }
            for device in devices {
                let result = try await device.result(in: world)
                results.withLock { $0[device.cell] = result }
            }
        }
        return results.withLock { $0 }
    }
}

extension Centre {
    /// Runs a change that may need nothing on this database.
    fileprivate func run(_ sql: String) throws {
        if !sql.isEmpty { try execute(sql) }
    }
}
