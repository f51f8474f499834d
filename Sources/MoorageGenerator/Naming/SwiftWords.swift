/// The words of a database's name, and Swift names made of them.
///
/// `order_items`, `OrderItems` and `orderItems` have the same words. Characters that a Swift name
/// cannot have separate words, too.
struct SwiftWords: Hashable {
    /// In lower case, at least one character each.
    let words: [String]

    /// Words that Swift writes in one case: `userID`, `urlText`.
    private static let initialisms: Set = ["id", "url", "uuid", "http", "json", "html", "ip"]

    init(words: [String]) { self.words = words }

    init(_ name: String) {
        var words: [String] = []
        var word = ""
        let characters = Array(name)
        for (place, character) in characters.enumerated() {
            guard character.isLetter || character.isNumber else {
                if !word.isEmpty { words.append(word) }
                word = ""
                continue
            }
            if character.isUppercase, !word.isEmpty {
                let before = characters[place - 1]
                let isNextSmall = place + 1 < characters.count && characters[place + 1].isLowercase
                if before.isLowercase || before.isNumber || isNextSmall {
                    words.append(word)
                    word = ""
                }
            }
            word += character.lowercased()
        }
        if !word.isEmpty { words.append(word) }
        self.words = words
    }

    /// `orderItems`, `userID`, `id`.
    var lowerCamel: String {
        guard let first = words.first else { return "" }
        return Self.startable(first + words.dropFirst().map(Self.capitalized).joined())
    }

    /// `OrderItems`, `UserID`.
    var upperCamel: String { Self.startable(words.map(Self.capitalized).joined()) }

    /// The same with the last word in the singular.
    var singular: SwiftWords {
        guard let last = words.last else { return self }
        return SwiftWords(words: words.dropLast() + [Singular.of(last)])
    }

    /// `customer_id` without its end; `nil` if nothing else is there.
    var withoutID: SwiftWords? {
        guard words.count > 1, let last = words.last, ["id", "uuid", "key"].contains(last) else {
            return nil
        }
        return SwiftWords(words: words.dropLast())
    }

    private static func capitalized(_ word: String) -> String {
        if initialisms.contains(word) { return word.uppercased() }
        guard let first = word.first else { return word }
        return first.uppercased() + word.dropFirst()
    }

    /// A name cannot begin with a digit.
    private static func startable(_ name: String) -> String {
        name.first?.isNumber == true ? "_" + name : name
    }
}
