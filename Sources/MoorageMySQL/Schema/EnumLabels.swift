import MoorageCore

/// The labels in the name of an enumeration's type, as the server prints it: `enum('a','b')`.
enum EnumLabels {
    static func read(_ type: String) -> [String] {
        let bytes = Array(type.utf8)
        return SQLWords(type, hasEscapes: true).words.filter { $0.kind == .literal }
            .compactMap { word in
                DefaultText.unquoted(String(decoding: bytes[word.range], as: UTF8.self))
            }
    }
}
