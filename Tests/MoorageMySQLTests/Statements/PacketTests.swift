import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

/// A server hangs up on more than its `max_allowed_packet`, so that nothing larger is sent at once.
///
/// The connection is not open: it assumes the smallest limit that servers come with, 1 MiB. `More than
/// a packet` pushes to a server with its own limit.
@Suite(.ownThreads) struct `What a packet holds` {
    private let connection: MySQLConnection
    private let natives = [
        Self.column("id", type: "varchar", characters: "utf8mb4"),
        Self.column("note", type: "longtext", characters: "utf8mb4"),
        Self.column("data", type: "longblob"),
    ]
    private let table: AttachedTable

    init() throws {
        connection = MySQLConnection(
            address: try MySQLAddress(url: "mysql://moorage@127.0.0.1/nowhere"),
            options: MySQLDatabase.Options())
        table = AttachedTable(
            number: 1,
            description: TableDescription(
                name: "item", columns: natives.map(\.description), primaryKey: [0]))
    }

    private static func column(
        _ name: String, type: String, characters: String? = nil
    ) -> NativeColumn {
        ColumnRow(
            table: "item", name: name, defaultText: nil, isNullable: name != "id", dataType: type,
            columnType: type, characterLength: nil, octetLength: nil, precision: nil,
            characterSet: characters, collation: characters.map { $0 + "_bin" }, extra: "",
            isJSON: false
        ).column(.mariaDB)
    }

    private static func row(_ id: String, note: Value = .null, bytes: Int) -> [Value] {
        [.text(id), note, .blob(Array(repeating: 0, count: bytes))]
    }

    @Test func `a list of rows is cut, and its parts are all of it in order`() {
        let texts = (0..<4_000).map { String(repeating: "x", count: 290) + String($0) }
        let parts = connection.chunks(texts) { [(name: "c0", text: Optional($0))] }
        #expect(parts.count == 3)
        #expect(parts.flatMap { $0 } == texts)
        for part in parts {
            let list = RowList.text(part.map { [(name: "c0", text: Optional($0))] })
            #expect(list.utf8.count < connection.link.maximumPacket)
        }
    }

    /// Characters that are longer in JSON than in the value count as what is sent.
    @Test func `a list is cut by what its texts are in JSON`() {
        let texts = Array(repeating: String(repeating: "\u{1}", count: 100_000), count: 4)
        let parts = connection.chunks(texts) { [(name: "c0", text: Optional($0))] }
        #expect(parts.map(\.count) == [1, 1, 1, 1])
    }

    @Test func `a row that nothing fits beside goes alone`() {
        let texts = ["before", String(repeating: "x", count: 600_000), "behind"]
        let parts = connection.chunks(texts) { [(name: "c0", text: Optional($0))] }
        #expect(parts.map { $0.map(\.count) } == [[6], [600_000], [6]])
    }

    @Test func `rows as arrays are cut by their bytes and by their number`() throws {
        let rows = (0..<4_000).map { Self.row(String($0), bytes: 290) }
        let parts = try connection.chunks(rows, natives, most: 10_000)
        #expect(parts.count == 3)
        #expect(parts.reduce(0) { $0 + $1[0].count } == 4_000)
        let few = try connection.chunks(Array(rows.prefix(10)), natives, most: 4)
        #expect(few.map { $0[0].count } == [4, 4, 2])
    }

    @Test func `a value that is too large is refused by name`() throws {
        let long = Value.text(String(repeating: "x", count: 1_048_576))
        try connection.checkSize(of: Self.row("a", bytes: 1_000_000), natives, in: table)
        for (row, column) in [
            (Self.row("b", bytes: 1_048_576), "item.data"),
            (Self.row("c", note: long, bytes: 9), "item.note"),
        ] {
            let error = #expect(throws: CentralError.self) {
                try connection.checkSize(of: row, natives, in: table)
            }
            guard case .refused(let refusal)? = error?.kind else {
                Issue.record("not refused: \(column)")
                continue
            }
            #expect(refusal.code == .tooLarge)
            #expect(refusal.message.contains("The column \(column) has a value"))
            #expect(refusal.message.contains("max_allowed_packet of 1048576 bytes"))
        }
    }
}
