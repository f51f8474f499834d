extension String {
    /// The text between two quotes, each quote in it doubled: a name or a literal in SQL.
    ///
    /// This works on bytes. As a `Character`, a quote and a combining mark after it are one letter,
    /// which is not a quote. The name would then end in the middle.
    package func quoted(by quote: Unicode.Scalar) -> String {
        let mark = UInt8(ascii: quote)
        var bytes: [UInt8] = [mark]
        for byte in utf8 {
            if byte == mark { bytes.append(mark) }
            bytes.append(byte)
        }
        bytes.append(mark)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text between two quotes; `nil` when the text is not one quoted text.
    package func unquoted(by quote: Unicode.Scalar) -> String? {
        let mark = UInt8(ascii: quote)
        let bytes = Array(utf8)
        guard bytes.count >= 2, bytes.first == mark, bytes.last == mark else { return nil }
        var content: [UInt8] = []
        var index = 1
        while index < bytes.count - 1 {
            if bytes[index] == mark {
                index += 1
                guard index < bytes.count - 1, bytes[index] == mark else { return nil }
            }
            content.append(bytes[index])
            index += 1
        }
        return String(decoding: content, as: UTF8.self)
    }
}
