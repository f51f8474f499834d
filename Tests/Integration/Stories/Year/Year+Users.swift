import Moorage
import MoorageTesting
import MoorageWire

/// Who writes rows: a user on a device, or a program at the centre.
protocol YearWriter {
    var name: String { get }
    func ids(of table: String) throws -> [String]
    /// The value that the writer sees.
    func text(_ column: String, of row: YearRow) throws -> String?
    func execute(_ sql: String) throws
}

/// The owner's own program on the central database.
struct YearOffice: YearWriter {
    let centre: any YearCentre

    var name: String { YearLedger.office }

    func ids(of table: String) throws -> [String] {
        try centre.table(table, []).keys.sorted()
    }

    func text(_ column: String, of row: YearRow) throws -> String? {
        try centre.texts("SELECT \(column) FROM \(row.table) WHERE id = '\(row.id)'").first?.first
            ?? nil
    }

    func execute(_ sql: String) throws { try centre.execute([sql]) }
}

extension Year {
    // MARK: Devices

    /// A user takes the device up in some of the rounds, and is offline in some of those.
    func use(_ device: YearDevice) async throws {
        guard random.chance(60) else { return }
        for _ in 0...random.below(3) { try edit(device) }
        guard random.chance(75) else { return }
        if isAttached, device.version < release, random.chance(25) {
            try await upgrade(device, to: release)
        } else {
            // A row whose insert is not answered may come back after a restore or a move
            // (docs/limitations.md). So every answer arrives in the months before one.
            let isLossy = [1, 4, 9, 10, 11, 12].contains(month)
            switch isLossy ? random.below(20) : 19 {
            case 0: try await sync(device, .requestLost)
            case 1: try await sync(device, .answerLost)
            default: try await sync(device)
            }
        }
    }

    /// Starts a version of the app. Whoever gets an app from a store is online, so it syncs before
    /// its user edits.
    func upgrade(_ device: YearDevice, to version: Int) async throws {
        try passTime(by: Self.minute)
        device.setClock(clock)
        let before = device.version
        do { try await device.launch(version: version) } catch {
            problems.append(
                "\(device.name) from version \(before) to \(version), \(when): \(error)")
        }
        try await sync(device)
    }

    func sync(_ device: YearDevice, _ fate: YearDoor.Fate = .arrives) async throws {
        try passTime(by: 30 * Self.minute)
        device.setClock(clock)
        door.set(fate)
        defer { door.set(.arrives) }
        let name = "\(device.name) with version \(device.version), \(when)"
        do {
            try await device.sync()
        } catch let error as ReplicaError
            where error.code == .hub(.unreachable) && fate != .arrives
        {
            return
        } catch {
            problems.append("\(name): \(error)")
            return
        }
        try await device.report(to: &ledger)
        for suspension in try device.suspensions() {
            codes.insert(suspension.code)
            let isExplained = Release.explains(
                suspension.table, suspension.code, on: centre.kind, release: release,
                isAttached: isAttached, version: device.version)
            if isExplained { continue }
            problems.append(
                """
                \(name): no release explains that \(suspension.table) is suspended: \
                \(suspension.code), \(suspension.reason)
                """)
        }
    }

    // MARK: Edits

    /// A user's edit, half an hour after what happened before.
    func edit(_ device: YearDevice) throws {
        try passTime(by: 30 * Self.minute)
        device.setClock(clock)
        try edit(device, at: device.version)
    }

    /// Writes one row.
    func edit(_ writer: any YearWriter, at version: Int) throws {
        let table = random.one(of: YearSchema.tables(at: version))
        let ids = try writer.ids(of: table)
        // What the office makes or deletes after a backup would be gone with the restore, and
        // nobody could tell what devices have of it from what was deleted.
        let changesOnly = writer.name == YearLedger.office && ledger.hasBackup
        let choice = changesOnly ? 9 : random.below(10)
        guard let id = random.pick(ids) else {
            if !changesOnly { try insert(into: table, by: writer, at: version) }
            return
        }
        let row = YearRow(table: table, id: id)
        switch choice {
        case 0, 1: try insert(into: table, by: writer, at: version)
        // No site goes, so no visit is refused for its site.
        case 2 where table != "site":
            try writer.execute("DELETE FROM \(table) WHERE id = '\(id)'")
            ledger.delete(row, by: writer.name)
        default: try update(row, by: writer, at: version)
        }
    }

    func insert(into table: String, by writer: any YearWriter, at version: Int) throws {
        let row = YearRow(table: table, id: "\(table)-\(ledger.newValue())")
        var (columns, values) = (["id"], [row.id])
        if YearSchema.belowSites.contains(table) {
            guard let site = random.pick(try writer.ids(of: "site")) else { return }
            columns.append("site_id")
            values.append(site)
        }
        var written: [(column: String, value: String)] = []
        for column in YearSchema.columns(of: table, at: version) {
            guard let name = column.name(at: version) else { continue }
            let value = ledger.newValue()
            columns.append(name)
            values.append(value)
            written.append((column.name, value))
        }
        try writer.execute(Self.insertion(table, columns, values))
        ledger.insert(row, by: writer.name)
        for (column, value) in written {
            ledger.write(
                value, YearCell(row: row, column: column), seen: nil, by: writer.name, when)
        }
    }

    private func update(_ row: YearRow, by writer: any YearWriter, at version: Int) throws {
        let column = random.one(of: YearSchema.columns(of: row.table, at: version))
        guard let name = column.name(at: version) else { return }
        let seen = try writer.text(name, of: row)
        let value = ledger.newValue()
        try writer.execute("UPDATE \(row.table) SET \(name) = '\(value)' WHERE id = '\(row.id)'")
        ledger.write(
            value, YearCell(row: row, column: column.name), seen: seen, by: writer.name,
            "\(when), version \(version)")
    }

    static func insertion(_ table: String, _ columns: [String], _ values: [String?]) -> String {
        let literals = values.map { $0.map { "'\($0)'" } ?? "NULL" }
        return """
            INSERT INTO \(table) (\(columns.joined(separator: ", ")))
            VALUES (\(literals.joined(separator: ", ")))
            """
    }
}
