/// A column that gets another name in the course of a history. No table has one name for two
/// columns, so a name says which column it is, whatever the step.
struct SimulatedRename: Hashable, Sendable {
    let table: String
    let old: String
    let new: String
    /// Whether the app names the rename in its list of tables. Otherwise the replica finds it.
    var isTold = false

    /// The rename as a line of a history.
    var line: String { "renamed \(table) \(old) \(new)" + (isTold ? " told" : "") }
}

extension SimulatedRename {
    init(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 4 || words.count == 5 && words[4] == "told" else {
            throw HistorySyntaxError(line)
        }
        self.init(table: words[1], old: words[2], new: words[3], isTold: words.count == 5)
    }
}

/// Which columns are one, under whatever names. A column keeps its identity when it is renamed.
struct ColumnNames: Hashable, Sendable {
    /// The former name by the next one, by table.
    private var former: [String: [String: String]] = [:]

    init(_ world: SimulatedWorld) {
        for rename in world.renames { former[rename.table, default: [:]][rename.new] = rename.old }
    }

    /// The column's first name, and how often it was renamed since.
    func origin(of column: String, in table: String) -> (name: String, age: Int) {
        guard let former = former[table] else { return (column, 0) }
        var (name, age) = (column, 0)
        // A circle in a story ends.
        while age < former.count, let old = former[name] { (name, age) = (old, age + 1) }
        return (name, age)
    }
}
