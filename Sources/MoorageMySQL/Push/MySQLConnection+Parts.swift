import MoorageCore
import MoorageHub

/// The limits of a packet and of a statement.
extension MySQLConnection {
    private var mostBytes: Int { min(link.maximumPacket / 2, 4 << 20) }

    /// Refuses a row that is too large for a packet. The server would close the connection and not
    /// name the value.
    func checkSize(
        of values: [Value], _ natives: [NativeColumn], in table: AttachedTable
    ) throws {
        let size = values.reduce(values.count * 12) { $0 + $1.byteCount }
        guard size > link.maximumPacket - Self.packetHead,
            let largest = zip(natives, values).max(by: { $0.1.byteCount < $1.1.byteCount })
        else { return }
        throw CentralError.rowTooLarge(largest.0, of: table.name, limit: link.maximumPacket)
    }

    /// An estimate of a row's bytes in a list, a few too many. A control character takes up to six
    /// bytes in JSON.
    static func estimate(_ list: [(name: String, text: String?)]) -> Int {
        list.reduce(16) { $0 + ($1.text.map(RowList.length) ?? 0) + 12 }
    }

    /// Splits a list into parts whose text each fits into a packet.
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

    /// Rows as columns of parameters, in parts that each fit into a packet.
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
