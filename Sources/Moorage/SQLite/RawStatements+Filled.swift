import MoorageCore

extension RawStatements {
    /// As many tables as one statement asks for. For each of them GRDB, which records what a statement reads,
    /// copies what it recorded before.
    private static let filledAtOnce = 30

    /// Those among some items whose table has rows.
    ///
    /// A replica has three tables of its own for each of the app's, and most of them are empty: a
    /// statement for each would be most of a sync that has nothing to do.
    func filled<Item>(_ items: [Item], in table: (Item) -> String) throws -> [Item] {
        var result: [Item] = []
        for first in stride(from: 0, to: items.count, by: Self.filledAtOnce) {
            let part = items[first..<min(items.count, first + Self.filledAtOnce)]
            let questions = part.map { "EXISTS(SELECT 1 FROM \(SQLText.name(table($0))))" }
            let answers = try self("SELECT \(questions.joined(separator: ", "))").first([]) ?? []
            for (item, answer) in zip(part, answers) where answer.value == .integer(1) {
                result.append(item)
            }
        }
        return result
    }
}
