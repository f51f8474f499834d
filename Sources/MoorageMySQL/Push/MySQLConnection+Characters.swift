import MoorageCore
import MoorageHub

/// Texts with a character that the character set of their column lacks.
extension MySQLConnection {
    /// Writes some rows. A server that refuses a character does not always name the column, and
    /// never its character set. For a single row this finds both.
    func namingCharacterSet(
        _ natives: [NativeColumn], of table: AttachedTable, _ rows: [[Value]],
        _ write: () throws -> Void
    ) throws {
        do {
            try write()
        } catch let error as CentralError {
            guard case .refused = error.kind, rows.count == 1, let server = link.lastError,
                server.isAboutCharacters, let column = try columnThatLacks(natives, rows[0])
            else { throw error }
            throw CentralError.characterMissing(in: column, of: table.name, server.code)
        }
    }

    /// The first column whose character set does not return a value unchanged.
    private func columnThatLacks(_ natives: [NativeColumn], _ row: [Value]) throws -> NativeColumn?
    {
        var texts: [(column: NativeColumn, text: String)] = []
        for (native, value) in zip(natives, row) {
            guard let set = native.characterSet, set != "utf8mb4",
                let text = try native.text(value), !text.utf8.allSatisfy({ $0 < 0x80 })
            else { continue }
            texts.append((native, text))
        }
        // The server would refuse a plain argument as the column does, so the texts go as JSON.
        let list = texts.enumerated().map { (name: "c\($0)", text: Optional($1.text)) }
        guard !texts.isEmpty, Self.estimate(list) <= link.maximumPacket - Self.packetHead else {
            return nil
        }
        let columns = texts.indices.map {
            "c\($0) LONGTEXT CHARACTER SET utf8mb4 PATH '$.c\($0)'"
        }
        let checks = texts.enumerated().map { place, text in
            let back =
                "CONVERT(CONVERT(x.c\(place) USING \(text.column.characterSet ?? "utf8mb4")) USING utf8mb4)"
            return "CAST(\(back) AS BINARY) <=> CAST(x.c\(place) AS BINARY)"
        }
        var parameters = Parameters()
        parameters.add(RowList.text([list]))
        let answer = try link.query(
            """
            SELECT \(checks.joined(separator: ", "))
            FROM JSON_TABLE(?, '$[*]' COLUMNS (\(columns.joined(separator: ", ")))) AS x
            """, parameters, texts.map { _ in .integer }, isKept: false)
        return texts.indices.first { !answer.isTrue(0, $0) }.map { texts[$0].column }
    }
}
