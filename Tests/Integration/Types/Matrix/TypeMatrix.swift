import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import Testing

/// Carries every case out on one central database, and says what became of each value.
///
/// Each case has a table `m<number>(id, v, w, note)`: what is put into `v` at one end is looked at at the
/// other, and copied there into `w`.
struct TypeMatrix {
    let world: World
    let cases: [MatrixCase]
    private(set) var lines: [String] = []
    /// Values that became others without a word.
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
        for (number, test) in cases.enumerated() {
            guard let table = report.attached.first(where: { $0.name == "m\(number)" }) else {
                let isTold = report.unsupported.contains { $0.name == "m\(number)" }
                record(test, "", isTold ? "the table is refused by `attach`" : "?", "")
                continue
            }
            let (down, up): ([String], [String])
            do {
                down = try await fromCentre(test, table, a)
                up = try await fromDevice(test, table, a, b)
            } catch {
                // The rest would fail with it: what a device sends stays in its log.
                failures.append("\(test.name): \(error)")
                return
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

    private func fromCentre(
        _ test: MatrixCase, _ table: TableDescription, _ a: Device
    ) async throws -> [String] {
        var results: [String?] = []
        for (index, value) in test.atCentre.enumerated() {
            do {
                try world.centre.execute(
                    "INSERT INTO \(table.name) (id, v) VALUES (\(Self.centreStart + Int64(index)), \(value.sql))"
                )
                results.append(nil)
            } catch {
                results.append("the database refuses it")
            }
        }
        try await a.replica.sync()
        let withheld = try await a.replica.withheld().filter { $0.table == table.name }
        let arrived = try a.values(table.name, "id", "v")
        try a.execute("UPDATE \(table.name) SET w = v, note = 1 WHERE id < \(Self.deviceStart)")
        try await a.replica.sync()
        let refused = try await a.replica.refused().filter { $0.table == table.name }
        let rows = try world.centre.rows(table)
        let same = try sameAtCentre(table)
        for index in results.indices where results[index] == nil {
            let key = Value.integer(Self.centreStart + Int64(index))
            if let notice = withheld.first(where: { $0.key.values == [key] }) {
                results[index] = "withheld: \(notice.reason)"
                continue
            }
            guard let here = arrived.first(where: { $0[0] == key })?[1],
                let row = rows.first(where: { $0[0] == key })
            else {
                results[index] = "FAILED: it did not arrive"
                continue
            }
            let type = table.columns[1].type
            let isEqual = type.equal(here, row[1])
            guard isEqual else {
                results[index] = "FAILED: \(here) for \(row[1])"
                continue
            }
            let arrives = here == row[1] ? "equal" : "equal by type"
            if let refusal = refused.first(where: { $0.key.values == [key] }) {
                results[index] = "\(arrives); back: refused, `\(refusal.code.rawValue)`"
            } else if same.contains(key) {
                results[index] = arrives
            } else if type.equal(row[1], row[2]) {
                results[index] = "equal by type"
            } else {
                results[index] = "FAILED: \(row[2]) came back for \(row[1])"
            }
        }
        return results.map { $0 ?? "?" }
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

    private func fromDevice(
        _ test: MatrixCase, _ table: TableDescription, _ a: Device, _ b: Device
    ) async throws -> [String] {
        for (index, value) in test.onDevice.enumerated() {
            try a.execute(
                "INSERT INTO \(table.name) (id, v) VALUES (\(Self.deviceStart + Int64(index)), \(value.sql))"
            )
        }
        let written = try a.values(table.name, "id", "v")
        try await a.replica.sync()
        try await b.replica.sync()
        try await a.replica.sync()
        let refused = try await a.replica.refused().filter { $0.table == table.name }
        let withheld = try await b.replica.withheld().filter { $0.table == table.name }
        let rows = try world.centre.rows(table)
        let (mine, others) = (
            try a.values(table.name, "id", "v"), try b.values(table.name, "id", "v")
        )
        let type = table.columns[1].type
        return test.onDevice.indices.map { index in
            let key = Value.integer(Self.deviceStart + Int64(index))
            func value(_ rows: [[Value]]) -> Value? { rows.first { $0[0] == key }?[1] }
            if let refusal = refused.first(where: { $0.key.values == [key] }) {
                guard value(rows) == nil else { return "FAILED: refused, and at the centre" }
                return "refused: `\(refusal.code.rawValue)`"
            }
            guard let original = value(written), let central = value(rows), let here = value(mine)
            else { return "FAILED: it did not arrive" }
            var tail = ""
            if let notice = withheld.first(where: { $0.key.values == [key] }) {
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
            return "stored as \(Self.code(Self.shown(central))), and told" + tail
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
