import MoorageCore
import MoorageWire
import TestSupport
import Testing

@testable import Moorage
@testable import MoorageHub

/// What a device concludes from the welcome is what the hub decides about a change.
@Suite(.ownThreads) struct `What the welcome says of rights` {
    private static let description = TableDescription(
        name: "orders",
        columns: [
            ColumnDescription(name: "id", type: .text, isNullable: false),
            ColumnDescription(name: "note", type: .text),
            ColumnDescription(name: "price", type: .text),
            ColumnDescription(name: "gone", type: .text),
            ColumnDescription(name: "total", type: .text, isGenerated: true),
        ], primaryKey: [0])

    /// Settings of the table that are the same for all users.
    struct Settings: Sendable, CustomTestStringConvertible {
        let columns: ColumnSettings
        let direction: TableDirection
        let marker: String?
        let hasScopes: Bool

        static let all: [Settings] = {
            let columns = [
                ColumnSettings(), ColumnSettings(downOnly: ["price"]),
                ColumnSettings(hidden: ["price"]),
                ColumnSettings(downOnly: ["note", "price", "gone"]),
            ]
            let markers: [String?] = [nil, "gone"]
            var all: [Settings] = []
            for columns in columns {
                for direction in TableDirection.allCases {
                    for marker in markers {
                        for hasScopes in [false, true] {
                            all.append(
                                Settings(
                                    columns: columns, direction: direction, marker: marker,
                                    hasScopes: hasScopes))
                        }
                    }
                }
            }
            return all
        }()

        var testDescription: String {
            """
            \(direction), hidden \(columns.hidden.sorted()), down \(columns.downOnly.sorted()), \
            marker \(marker ?? "none"), scopes \(hasScopes)
            """
        }

        func configuration(_ rights: [String: TableRights]?) -> HubConfiguration {
            var configuration = HubConfiguration(rules: ["orders": TableRules(softDelete: marker)])
            configuration.columns = ["orders": columns]
            configuration.directions = ["orders": direction]
            if hasScopes {
                configuration.scopes = ScopeSettings(
                    rules: ["orders": [ScopeRule(.column(kind: "employee", "note"))]],
                    holdings: ["employee": .claim("sub")])
            }
            if let rights { configuration.rights.tables = ["orders": rights] }
            return configuration
        }
    }

    /// Everything that a role can be allowed, and a few other roles beside it.
    private static let rights: [[String: TableRights]?] = {
        let columns: [Set<String>?] = [nil, [], ["note", "gone"], ["id", "price"]]
        let others: [TableRights?] = [
            nil, TableRights(insert: true, columns: ["price"]),
            TableRights(update: true, columns: ["gone", "total"]),
        ]
        var all: [[String: TableRights]?] = [nil]
        for bits in 0..<32 {
            for columns in columns {
                for other in others {
                    var roles = ["boss": TableRights.all]
                    roles["clerk"] = TableRights(
                        read: bits & 1 > 0, insert: bits & 2 > 0, update: bits & 4 > 0,
                        delete: bits & 8 > 0, columns: columns, move: bits & 16 > 0)
                    roles[RightSettings.everyone] = other
                    all.append(roles)
                }
            }
        }
        return all
    }()

    /// What the hub answers to a change of this user.
    private struct Judge {
        let schema: AttachedSchema
        let user: UserRights
        let table: TableDescription

        func takes(_ operation: Change.Operation) throws -> Bool {
            let change = Change(
                table: table.name, key: RowKey([.text("o")]), operation: operation, editedAt: 1)
            let batch = Batch(
                number: 1, nonce: "n", preparedAt: 1,
                tables: [TableColumns(name: table.name, columns: table.columns.map(\.name))],
                changes: [change])
            let reader = BatchReader(
                schema: schema, limits: HubLimits(),
                times: EditTimes(sentAt: 1, now: 1, previousBatch: nil), rights: user)
            guard let refusal = try reader.read(batch).refused[0] else { return true }
            guard [.permission, .readOnly].contains(refusal.code) else { throw Unexpected() }
            return false
        }

        func takesUpdate(of column: Int) throws -> Bool {
            try takes(.update([ColumnEdit(column: column, old: .text("a"), new: .text("b"))]))
        }

        struct Unexpected: Error {}
    }

    /// How the device's answers differ from the hub's.
    private func differences(_ device: WriteRights, _ hub: Judge) throws -> [String] {
        let table = hub.table
        let row = table.columns.map { _ in Value.text("o") }
        let takesInsert = try hub.takes(.insert(row))
        let takesDelete = try hub.takes(.delete(before: row))
        var wrong: [String] = []
        func compare(_ what: String, _ device: Bool, _ hub: Bool) {
            if device != hub { wrong.append("\(what): \(device) on the device, \(hub) at the hub") }
        }
        compare("insert", device.mayInsert, takesInsert)
        compare("delete", device.mayDelete, takesDelete)
        var updatable: [String] = []
        for (position, column) in table.columns.enumerated() {
            let isKey = table.isKey(position)
            compare(
                "insert \(column.name)", device.mayInsert(column: column.name),
                takesInsert
                    && (isKey
                        || !column.isGenerated
                            && hub.user.mayInsert(column.name, of: table.name))
            )
            if isKey {
                let mayBoth = takesInsert && takesDelete
                compare("update the key", device.mayUpdate(column: column.name), mayBoth)
                continue
            }
            // No device sends what the database computes, whatever the hub would say.
            let isTaken = try column.name != "total" && hub.takesUpdate(of: position)
            compare("update \(column.name)", device.mayUpdate(column: column.name), isTaken)
            if isTaken { updatable.append(column.name) }
        }
        compare("update", device.mayUpdate, !updatable.isEmpty)
        return wrong + moves(device, hub, updatable)
    }

    private func moves(_ device: WriteRights, _ hub: Judge, _ updatable: [String]) -> [String] {
        let name = hub.table.name
        let mayMove = updatable.contains {
            !hub.user.hasScopes(name) || hub.user.mayMove(name, by: [$0])
        }
        return device.mayMove == mayMove ? [] : ["move: \(device.mayMove) on the device"]
    }

    @Test(arguments: Settings.all) func `is what the hub does`(settings: Settings) throws {
        let schema = AttachedSchema(
            tables: [AttachedTable(number: 1, description: Self.description)],
            central: [CentralTable(name: "orders", support: .supported(Self.description))],
            configuration: settings.configuration(nil))
        let table = try #require(schema.tables.first?.description)
        var wrong: [String] = []
        var contents: [String: [TableRightsAnswer]] = [:]
        for rights in Self.rights {
            let user = UserRights(
                settings.configuration(rights),
                of: Principal(subject: "ann", claims: ["roles": ["clerk"]]))
            let answer = user.answer(on: schema.tables)
            let device = WriteRights(table, answer.tables.first)
            let judge = Judge(schema: schema, user: user, table: table)
            wrong += try differences(device, judge).map { "\($0), with \(rights ?? [:])" }
            if contents[answer.version, default: answer.tables] != answer.tables {
                wrong.append("version \(answer.version) names two contents")
            }
            contents[answer.version] = answer.tables
        }
        #expect(wrong.prefix(3) == [])
        #expect(Set(contents.values).count == contents.count)
        let isWritable = settings.direction.acceptsChanges
        #expect(isWritable == (contents.count > 1), "Only a table that devices write is listed.")
    }
}
