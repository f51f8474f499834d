import MoorageCore
import MoorageHub

/// What a packet holds, and a statement takes.
extension MySQLConnection {
    private var mostBytes: Int { min(link.maximumPacket / 2, 4 << 20) }

    /// A server that gets a packet beyond its limit hangs up: nobody would learn which value it was.
    func checkSize(
        of values: [Value], _ natives: [NativeColumn], in table: AttachedTable
    ) throws {
        let size = values.reduce(values.count * 12) { $0 + $1.byteCount }
        guard size > link.maximumPacket - Self.packetHead,
            let largest = zip(natives, values).max(by: { $0.1.byteCount < $1.1.byteCount })
        else { return }
        let message = """
            The column \(table.name).\(largest.0.name) has a value that makes its row larger than the \
            server takes at once, max_allowed_packet of \(link.maximumPacket) bytes.
            """
        throw CentralError(.refused(Refusal(code: .tooLarge, message: message)), message)
    }

    /// Bytes of a row in a list, and a few more: a control character is up to six in JSON.
    static func estimate(_ list: [(name: String, text: String?)]) -> Int {
        list.reduce(16) { $0 + ($1.text.map(RowList.length) ?? 0) + 12 }
    }

    /// Parts of a list, none of which is more text than a packet holds.
    func chunks<Element>(
        _ elements: [Element], _ texts: (Element) -> [(name: String, text: String?)]
    ) -> [[Element]] {
        var parts: [[Element]] = []
        var part: [Element] = []
        var bytes = 0
        for element in elements {
            let size = Self.estimate(texts(element))
            if !part.isEmpty, bytes + size > mostBytes || part.count == 10_000 {
                parts.append(part)
                part = []
                bytes = 0
            }
            part.append(element)
            bytes += size
        }
        if !part.isEmpty { parts.append(part) }
        return parts
    }

    /// Rows as columns of parameters, in parts that a packet holds.
    func chunks(_ rows: [[Value]], _ natives: [NativeColumn], most: Int) throws
        -> [[Parameters.Column]]
    {
        var parts: [[Parameters.Column]] = []
        var part = natives.map { Parameters.Column($0.parameterKind) }
        var bytes = 0
        for row in rows {
            let size = row.reduce(0) { $0 + $1.byteCount }
            if let first = part.first, first.count > 0,
                bytes + size > mostBytes || first.count == max(1, most)
            {
                parts.append(part)
                part = natives.map { Parameters.Column($0.parameterKind) }
                bytes = 0
            }
            for (place, native) in natives.enumerated() {
                try native.append(row[place], to: &part[place])
            }
            bytes += size
        }
        if let first = part.first, first.count > 0 { parts.append(part) }
        return parts
    }
}
