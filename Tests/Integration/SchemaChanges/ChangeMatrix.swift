import Foundation

/// The cells of one change, as a table of docs/reference/schema-changes.md has them.
struct ChangeMatrix: Sendable {
    /// What happens to a device, by the words of its cell: the last six columns of the table.
    private(set) var results: [[String]: [String]] = [:]

    static let head = [
        "database", "contact", "edits", "app", "first", "end", "centre", "device", "reads", "lists",
    ]

    private static var width: Int { ChangeCell.dimensions.count }

    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    init() {}

    /// - Parameter text: The table with its head. `any` is every word of a column, and commas
    ///   separate several.
    /// - Throws: ``Unreadable`` for an unknown word, a cell with two rows, and one without.
    init(_ text: String) throws {
        let rows = text.split(separator: "\n").map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        guard rows.first == Self.head else {
            throw Unreadable(description: "The head is not \(Self.line(Self.head))")
        }
        for row in rows.dropFirst(2) {
            guard row.count == Self.head.count else {
                throw Unreadable(description: "This is no row: \(Self.line(row))")
            }
            for words in try Self.cells(of: row) {
                guard results.updateValue(Array(row[Self.width...]), forKey: words) == nil else {
                    throw Unreadable(description: "Two rows have the cell \(words).")
                }
            }
        }
        for words in Self.product(ChangeCell.dimensions) where results[words] == nil {
            throw Unreadable(description: "No row has the cell \(words).")
        }
    }

    mutating func set(_ result: [String], for cell: ChangeCell) { results[cell.words] = result }

    private static func cells(of row: [String]) throws -> [[String]] {
        try product(
            zip(row, ChangeCell.dimensions).map { text, known in
                if text == "any" { return known }
                let words = text.split(separator: ",").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
                guard !words.isEmpty, words.allSatisfy({ known.contains($0) }) else {
                    throw Unreadable(description: "\(text) is not among \(known): \(line(row))")
                }
                return words
            })
    }

    /// Every way to take one word of each list.
    private static func product(_ lists: [[String]]) -> [[String]] {
        lists.reduce([[]]) { begun, list in
            begun.flatMap { words in list.map { words + [$0] } }
        }
    }

    private static func line(_ row: [String]) -> String { "| \(row.joined(separator: " | ")) |" }

    // MARK: Comparing

    /// The cells that differ from what was found, one on each line.
    func differences(from found: ChangeMatrix) -> [String] {
        Self.product(ChangeCell.dimensions).compactMap { words in
            guard let now = found.results[words], let expected = results[words], now != expected
            else { return nil }
            return """
                \(words.joined(separator: ", ")):
                  page  \(Self.line(expected))
                  found \(Self.line(now))
                """
        }
    }

    // MARK: Writing

    /// The table, with cells of equal results in as few rows as a simple way finds.
    var text: String {
        var rows: [(places: [Int], cells: [String])] = []
        for (result, cells) in Dictionary(grouping: results.keys, by: { results[$0] ?? [] }) {
            for box in Self.merged(cells.map { words in words.map { [$0] } }) {
                let names = zip(box, Self.known).map { Self.name($0, among: $1) }
                rows.append((Self.places(box), names + result))
            }
        }
        rows.sort { $0.places.lexicographicallyPrecedes($1.places) }
        let rule = "|" + String(repeating: "---|", count: Self.head.count)
        let lines = [Self.line(Self.head), rule] + rows.map { Self.line($0.cells) }
        return lines.joined(separator: "\n")
    }

    private static var known: [[String]] { ChangeCell.dimensions }

    private static func name(_ words: [String], among known: [String]) -> String {
        words.count == known.count ? "any" : words.joined(separator: ", ")
    }

    /// Where the first words of a box are, for the order of rows.
    private static func places(_ box: [[String]]) -> [Int] {
        zip(box, known).map { words, known in
            words.first.flatMap { known.firstIndex(of: $0) } ?? 0
        }
    }

    /// Joins boxes that differ in one column alone, the last column first.
    private static func merged(_ cells: [[[String]]]) -> [[[String]]] {
        var boxes = cells
        for _ in known {
            for column in known.indices.reversed() {
                let alike = Dictionary(grouping: boxes) { box in
                    var others = box
                    others[column] = []
                    return others
                }
                boxes = alike.map { others, parts in
                    let words = Set(parts.flatMap { $0[column] })
                    var box = others
                    box[column] = known[column].filter(words.contains)
                    return box
                }
            }
        }
        return boxes
    }
}
