import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import Testing

/// Runs all cases on one central database in one round of exchanges, and reports the result for
/// each value.
///
/// Each case has a table `m<number>(id, v, w, note)`. The test writes a value into `v` at one end,
/// reads it at the other end, and copies it there into `w`.
struct TypeMatrix {
    let world: World
    let cases: [MatrixCase]
    private(set) var lines: [String] = []
    /// Values that changed without a report.
    private(set) var failures: [String] = []

    init(world: World, cases: [MatrixCase]) {
        self.world = world
        self.cases = cases
    }

    static func schema(_ cases: [MatrixCase]) -> [String] {
        cases.enumerated().map { number, test in
            """
            CREATE TABLE m\(number) (
              id INTEGER NOT NULL PRIMARY KEY, v \(test.declared), w \(test.declared), note INTEGER)
            """
        }
    }

    private static let centreStart: Int64 = 1000
    private static let deviceStart: Int64 = 2000

    // MARK: Running

    mutating func run() async throws {
        let report = try await world.hub.attach()
        let a = try await world.clone("A")
        let b = try await world.clone("B")
        let all = cases.indices.compactMap { number in
            report.attached.first { $0.name == "m\(number)" }
                .map { Attached(test: cases[number], table: $0) }
        }
        let down = try await fromCentre(all, a)
        let up = try await fromDevice(all, a, b)
        for (number, test) in cases.enumerated() {
            let name = "m\(number)"
            guard let down = down[name], let up = up[name] else {
                let isTold = report.unsupported.contains { $0.name == name }
                record(test, "", isTold ? "the table is refused by `attach`" : "?", "")
                continue
            }
            let all = (test.atCentre + test.onDevice).map(\.shown)
            for shown in Set(all).sorted(by: { all.firstIndex(of: $0)! < all.firstIndex(of: $1)! })
            {
                let place = test.atCentre.firstIndex { $0.shown == shown }
                let other = test.onDevice.firstIndex { $0.shown == shown }
                record(test, shown, place.map { down[$0] } ?? "", other.map { up[$0] } ?? "")
            }
        }
    }

    /// A case whose table can sync.
    private struct Attached {
        let test: MatrixCase
        let table: TableDescription
    }

    private mutating func record(_ test: MatrixCase, _ shown: String, _ down: String, _ up: String)
    {
        lines.append(
            "| \(test.name) | \(shown.isEmpty ? "" : Self.code(shown)) | \(down) | \(up) |")
        for result in [down, up] where result.hasPrefix("FAILED") || result == "?" {
            failures.append("\(test.name) \(shown): \(result)")
        }
    }

    private static func code(_ text: String) -> String { text.contains("`") ? text : "`\(text)`" }

    private static let head = [
        "| type | value | from the centre to a device and back | from a device to the centre and others |",
        "|---|---|---|---|",
    ]

    var text: String { (Self.head + lines).joined(separator: "\n") }

    // MARK: From the centre

    /// - Returns: The result for each value, by table.
    private func fromCentre(_ all: [Attached], _ a: Device) async throws -> [String: [String]] {
        var refusedThere: [String: Set<Int>] = [:]
        for each in all { refusedThere[each.table.name] = insertAtCentre(each) }
        try await a.replica.sync()
        let withheld = Dictionary(grouping: try await a.replica.withheldValues.fetch(), by: \.table)
        var arrived: [String: [[Value]]] = [:]
        for name in all.map(\.table.name) {
            arrived[name] = try a.values(name, "id", "v")
            try a.execute("UPDATE \(name) SET w = v, note = 1 WHERE id < \(Self.deviceStart)")
        }
        try await a.replica.sync()
        let refused = Dictionary(grouping: try await a.replica.refusedChanges.fetch(), by: \.table)
        var results: [String: [String]] = [:]
        for each in all {
            let name = each.table.name
            let rows = try world.centre.rows(each.table)
            let same = try sameAtCentre(each.table)
            results[name] = each.test.atCentre.indices.map { index -> String in
                if refusedThere[name]?.contains(index) == true { return "the database refuses it" }
                let key = Value.integer(Self.centreStart + Int64(index))
                if let notice = withheld[name]?.first(where: { $0.key.values == [key] }) {
                    return "withheld: \(notice.reason)"
                }
                guard let here = arrived[name]?.first(where: { $0[0] == key })?[1],
                    let row = rows.first(where: { $0[0] == key })
                else { return "FAILED: it did not arrive" }
                return wayBack(
                    here, row, each.table.columns[1].type, isSame: same.contains(key),
                    refused[name]?.first { $0.key.values == [key] })
            }
        }
        return results
    }

    /// - Returns: The indexes of values that the database refuses.
    private func insertAtCentre(_ each: Attached) -> Set<Int> {
        var refused: Set<Int> = []
        for (index, value) in each.test.atCentre.enumerated() {
            let id = Self.centreStart + Int64(index)
            do {
                try world.centre.execute(
                    "INSERT INTO \(each.table.name) (id, v) VALUES (\(id), \(value.sql))")
            } catch {
                refused.insert(index)
            }
        }
        return refused
    }

    /// - Parameters:
    ///   - here: What the device received for `v` and wrote into `w`.
    ///   - row: The central row after that.
    ///   - isSame: Whether the central database sees no difference between `v` and `w`.
    private func wayBack(
        _ here: Value, _ row: [Value], _ type: ColumnType, isSame: Bool, _ refusal: RefusedChange?
    ) -> String {
        guard type.equal(here, row[1]) else { return "FAILED: \(here) for \(row[1])" }
        let arrives = here == row[1] ? "equal" : "equal by type"
        if let refusal { return "\(arrives); back: refused, `\(refusal.code.rawValue)`" }
        if isSame { return arrives }
        if type.equal(row[1], row[2]) { return "equal by type" }
        return "FAILED: \(row[2]) came back for \(row[1])"
    }

    /// The keys of rows where the database itself sees no difference between `v` and `w`.
    private func sameAtCentre(_ table: TableDescription) throws -> Set<Value> {
        let condition =
            switch world.centre.kind {
            case .sqlite: "typeof(v) = typeof(w) AND v IS w"
            case .postgres: "v::text IS NOT DISTINCT FROM w::text"
            case .mariadb: "HEX(v) <=> HEX(w) AND CAST(v AS BINARY) <=> CAST(w AS BINARY)"
            }
        let aggregate =
            world.centre.kind == .postgres ? "string_agg(id::text, ' ')" : "group_concat(id)"
        let text = try world.centre.text(
            "SELECT \(aggregate) FROM \(table.name) WHERE \(condition)")
        return Set(
            (text ?? "").split { $0 == " " || $0 == "," }.compactMap { Int64($0) }.map(
                Value.integer))
    }

    // MARK: From a device

    /// - Returns: The result for each value, by table.
    private func fromDevice(
        _ all: [Attached], _ a: Device, _ b: Device
    ) async throws -> [String: [String]] {
        var written: [String: [[Value]]] = [:]
        for each in all {
            let name = each.table.name
            for (index, value) in each.test.onDevice.enumerated() {
                let id = Self.deviceStart + Int64(index)
                try a.execute("INSERT INTO \(name) (id, v) VALUES (\(id), \(value.sql))")
            }
            written[name] = try a.values(name, "id", "v")
        }
        for device in [a, b, a] { try await device.replica.sync() }
        let refused = Dictionary(grouping: try await a.replica.refusedChanges.fetch(), by: \.table)
        let withheld = Dictionary(grouping: try await b.replica.withheldValues.fetch(), by: \.table)
        var results: [String: [String]] = [:]
        for each in all {
            let name = each.table.name
            let places = Places(
                written: written[name] ?? [], centre: try world.centre.rows(each.table),
                mine: try a.values(name, "id", "v"), others: try b.values(name, "id", "v"))
            results[name] = each.test.onDevice.indices.map { index -> String in
                let key = Value.integer(Self.deviceStart + Int64(index))
                return places.outcome(
                    key, each.table.columns[1].type,
                    refused[name]?.first { $0.key.values == [key] },
                    withheld[name]?.first { $0.key.values == [key] })
            }
        }
        return results
    }

    /// The rows of a table (id, v) as the device wrote them, and as they are at the end.
    private struct Places {
        let written: [[Value]]
        let centre: [[Value]]
        let mine: [[Value]]
        let others: [[Value]]

        func outcome(
            _ key: Value, _ type: ColumnType, _ refusal: RefusedChange?, _ notice: WithheldValue?
        ) -> String {
            func value(_ rows: [[Value]]) -> Value? { rows.first { $0[0] == key }?[1] }
            if let refusal {
                guard value(centre) == nil else { return "FAILED: refused, and at the centre" }
                return "refused: `\(refusal.code.rawValue)`"
            }
            guard let original = value(written), let central = value(centre), let here = value(mine)
            else { return "FAILED: it did not arrive" }
            var tail = ""
            if let notice {
                tail = "; others: withheld, \(notice.reason)"
            } else {
                guard let other = value(others), type.equal(other, central) else {
                    return "FAILED: another device has \(String(describing: value(others)))"
                }
            }
            guard type.equal(here, central) else {
                return "FAILED: \(here) stays, and \(central) is stored"
            }
            if original == central { return "equal" + tail }
            if type.equal(original, central) { return "equal by type" + tail }
            return "stored as \(TypeMatrix.code(TypeMatrix.shown(central))), and told" + tail
        }
    }

    private static func shown(_ value: Value) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let number): String(number)
        case .real(let number): number.description
        case .text(let text): "'\(text.prefix(40))'".replacing("|", with: "\\|")
        case .blob(let bytes): "x'\(Hex.text(bytes))'"
        }
    }
}
