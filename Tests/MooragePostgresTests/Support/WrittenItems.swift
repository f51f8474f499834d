import MoorageTesting

/// A table that many programs write at once, and what one of them does.
enum WrittenItems {
    static let schema = "CREATE TABLE item (id int PRIMARY KEY, a int, b text UNIQUE)"

    /// A statement that writes only rows with ids of a range.
    static func statement(
        in ids: Range<Int>, by writer: Int, using random: inout SeededGenerator
    ) -> String {
        let id = Int.random(in: ids, using: &random)
        let other = Int.random(in: ids, using: &random)
        return switch random.below(8) {
        case 0...2:
            """
            INSERT INTO item VALUES (\(id), \(writer))
            ON CONFLICT (id) DO UPDATE SET a = item.a + 1
            """
        case 3:
            """
            DELETE FROM item
            WHERE id BETWEEN \(id) AND \(min(id + 3, ids.upperBound - 1))
            """
        case 4:
            """
            UPDATE item SET id = \(other)
            WHERE id = \(id) AND NOT EXISTS (SELECT FROM item WHERE id = \(other))
            """
        case 5: "SAVEPOINT s; DELETE FROM item WHERE id = \(id); ROLLBACK TO s"
        default:
            """
            UPDATE item SET a = a + 1
            WHERE id % 20 = \(id % 20) AND id >= \(ids.lowerBound) AND id < \(ids.upperBound)
            """
        }
    }
}
