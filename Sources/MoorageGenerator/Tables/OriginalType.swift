/// The numbers in the name of a column's type, where a central database writes it in a known way:
/// `varchar(40)`, `numeric(10,2)`.
///
/// Only numbers come from the name. No text of it gets into a statement.
enum OriginalType: Hashable {
    /// The most characters of a text.
    case length(Int)
    /// The digits of a decimal in all, and those after the point.
    case digits(precision: Int, scale: Int)

    /// - Parameter name: ``ColumnDetails/original``.
    /// - Returns: `nil` for any other name.
    init?(_ name: String) {
        let parts = name.lowercased().split(separator: "(", maxSplits: 1)
        guard parts.count == 2, parts[1].last == ")" else { return nil }
        let word = parts[0].split(separator: " ").joined(separator: " ")
        let list = parts[1].dropLast().split(separator: ",", omittingEmptySubsequences: false)
        let numbers = list.compactMap(Self.number)
        guard numbers.count == list.count else { return nil }
        switch numbers.count {
        case 1 where Self.texts.contains(word) && numbers[0] > 0: self = .length(numbers[0])
        case 1 where Self.decimals.contains(word) && numbers[0] > 0:
            self = .digits(precision: numbers[0], scale: 0)
        case 2 where Self.decimals.contains(word) && numbers[0] > 0 && numbers[1] <= numbers[0]:
            self = .digits(precision: numbers[0], scale: numbers[1])
        default: return nil
        }
    }

    private static func number(_ text: Substring) -> Int? {
        let words = text.split(separator: " ")
        guard words.count == 1, words[0].utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return Int(words[0])
    }

    private static let texts: Set = [
        "varchar", "character varying", "char", "character", "nvarchar", "nchar",
        "varying character", "native character",
    ]
    private static let decimals: Set = ["numeric", "decimal", "dec"]
}
