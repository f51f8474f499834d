import Foundation
import TestSupport

/// The invariants at rest, whatever happened before.
struct FireOracle {
    let centre: any FireCentre
    let devices: [FireDevice]
    let officeTokens: Set<String>

    func problems() async throws -> [String] {
        let owner = try centre.open()
        var result = try copies(owner)
        result += try arrivals(owner)
        result += try deletions(owner)
        result += try onceEach(owner)
        result += try await leftOvers()
        return result
    }

    // MARK: Everyone has the same

    private func copies(_ owner: any OwnerSession) throws -> [String] {
        var result: [String] = []
        for table in FireSchema.tables {
            let query = "SELECT * FROM \(table) ORDER BY id"
            let truth = try owner.run(query)
            for device in devices {
                let name = "device \(device.number).\(table)"
                let difference = RowComparison.describe(
                    name, truth: truth, copy: try device.rows(query))
                if let difference { result.append(difference) }
            }
        }
        for device in devices {
            let broken = try device.rows("PRAGMA foreign_key_check")
            if !broken.isEmpty {
                result.append("device \(device.number): broken foreign keys \(broken.prefix(3))")
            }
            let whole = try device.rows("PRAGMA integrity_check")
            if whole != [["ok"]] { result.append("device \(device.number): \(whole.prefix(3))") }
        }
        return result
    }

    // MARK: Nothing is lost

    /// The values that the conflict log, or a device's refused list, has for a row.
    private func logged(_ owner: any OwnerSession) throws -> [DeviceLedger.Row: Set<String>] {
        var result: [DeviceLedger.Row: Set<String>] = [:]
        func add(_ table: String, _ key: String, _ texts: ArraySlice<String>) {
            guard let id = Int(key.filter(\.isNumber)) else { return }
            let row = DeviceLedger.Row(table: table, id: id)
            for text in texts {
                let values = text.split(separator: "\"").map(String.init)
                result[row, default: []].formUnion(values)
            }
        }
        for line in try owner.run("SELECT table_name, row_key, mine FROM moorage_conflict") {
            add(line[0], line[1], line[2...])
        }
        for device in devices {
            for line in try device.rows("SELECT tbl, key, before, after FROM _moorage_refused") {
                add(line[0], line[1], line[2...])
            }
        }
        return result
    }

    private func arrivals(_ owner: any OwnerSession) throws -> [String] {
        let audit = Set(try owner.run("SELECT DISTINCT token FROM audit").map { $0[0] })
        let logged = try logged(owner)
        var result: [String] = []
        for device in devices {
            for (row, columns) in device.ledger.written {
                for (column, token) in columns where !audit.contains(token) {
                    if logged[row]?.contains(token) == true { continue }
                    result.append("lost: \(token), written to \(row.table).\(column) of \(row.id)")
                }
            }
        }
        let written = devices.reduce(into: officeTokens) { $0.formUnion($1.ledger.tokens) }
        for token in audit where !token.hasPrefix("first-") && !written.contains(token) {
            result.append("nobody committed \(token)")
        }
        return result
    }

    /// A row that a device deleted is gone, or the log gives the reason.
    private func deletions(_ owner: any OwnerSession) throws -> [String] {
        let logged = try logged(owner)
        var result: [String] = []
        for table in FireSchema.tree {
            let there = Set(try owner.run("SELECT id FROM \(table)").compactMap { Int($0[0]) })
            for device in devices {
                for row in device.ledger.deleted
                where row.table == table && there.contains(row.id) && logged[row] == nil {
                    result.append(
                        "lost: device \(device.number) deleted \(table) \(row.id), which is there")
                }
            }
        }
        return result
    }

    // MARK: Nothing is doubled

    private func onceEach(_ owner: any OwnerSession) throws -> [String] {
        let births = try owner.run("SELECT tbl, id, n FROM birth WHERE n <> 1")
        let values = try owner.run(
            "SELECT tbl, id, token, count(*) FROM audit GROUP BY tbl, id, token HAVING count(*) > 1"
        )
        return births.map { "inserted more than once: \($0)" }
            + values.map { "stored more than once: \($0)" }
    }

    // MARK: Nothing is left over

    /// The sessions of servers that were ended notice that one after the other.
    private func leftOvers() async throws -> [String] {
        let end = ContinuousClock.now + Hang.limit
        var central = try centre.leftOvers()
        while !central.isEmpty, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(50))
            central = try centre.leftOvers()
        }
        return try central + devices.flatMap { try $0.leftOvers() }
    }
}
