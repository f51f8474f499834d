import GRDB
import MoorageCore

/// Renames the members of messages that a file of metadata version 1 stored as protocol 2 sent
/// them.
struct StoredMessages {
    let db: Database

    private static let cursor = [
        "mark": "checkpoint", "walk": "scan", "seen": "highWater", "seal": "signature",
    ]
    private static let scan = ["target": "upperBound"]
    private static let signature = ["state": "readAt", "walkCode": "scanCode"]
    private static let change = ["touch": "refetch"]

    /// - Throws: `metadataDamaged`.
    func rename() throws {
        try renameCursor()
        for table in ["_moorage_inflight", "_moorage_acknowledged"] { try renameBatches(in: table) }
    }

    private func renameCursor() throws {
        let meta = Metadata(db: db)
        guard let text = try meta.text(.cursor) else { return }
        let cursor = try meta.damaged("cursor") {
            try JSON(parsing: text).renaming(Self.cursor)
                .changing("scan") { $0.renaming(Self.scan) }
                .changing("signature") { $0.renaming(Self.signature) }
        }
        try meta.set(.cursor, cursor.text)
    }

    /// Only a batch in JSON is renamed: a batch in blocks has numbers for its operations.
    private func renameBatches(in table: String) throws {
        let column = table == "_moorage_inflight" ? "number" : "id"
        let ids = try Int64.fetchAll(db, sql: "SELECT \(column) FROM \(table)")
        for id in ids {
            let sql = "SELECT payload FROM \(table) WHERE \(column) = ?1"
            guard let payload = try [UInt8].fetch(db, sql, [.integer(id)]),
                payload.first == UInt8(ascii: "{")
            else { continue }
            let meta = Metadata(db: db)
            let batch = try meta.damaged("batch \(id)") {
                try JSON(parsing: String(decoding: payload, as: UTF8.self))
                    .changing("changes") { $0.eachElement { $0.renaming(Self.change) } }
            }
            try RawStatement.fixed(db, "UPDATE \(table) SET payload = ?2 WHERE \(column) = ?1")
                .run([.integer(id), .blob(Array(batch.text.utf8))])
        }
    }
}

extension JSON {
    fileprivate func renaming(_ names: [String: String]) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.map { (name: names[$0.name] ?? $0.name, value: $0.value) })
    }

    fileprivate func changing(_ name: String, _ change: (JSON) -> JSON) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(
            members.map {
                (name: $0.name, value: $0.name.hasSameBytes(as: name) ? change($0.value) : $0.value)
            })
    }

    fileprivate func eachElement(_ change: (JSON) -> JSON) -> JSON {
        guard case .array(let elements) = self else { return self }
        return .array(elements.map(change))
    }

    fileprivate var text: String {
        var writer = JSONWriter()
        writer.json(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
