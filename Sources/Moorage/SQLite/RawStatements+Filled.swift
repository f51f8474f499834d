import MoorageCore

extension RawStatements {
    /// How many tables one statement reads. GRDB records what a statement reads, and copies the
    /// record for each table.
    private static let filledAtOnce = 30

    /// The items whose table has rows.
    ///
    /// A replica has three tables of its own for each of the app's, and most of them are empty.
    /// With a statement for each, a sync that has nothing to do would spend most of its time there.
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
