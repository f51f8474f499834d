import MoorageCore
import MoorageHub

/// What a world says of deletes, keys and columns.
extension TableRules {
    /// Whether rows may get other keys than they were pushed with.
    var keepsBoth: Bool { rule == .keepBoth || insertRule == .keepBoth }

    /// The options of a table as lines of a story; nothing where they are the usual ones.
    func optionLines(of table: String) -> [String] {
        var lines: [String] = []
        if let softDelete { lines.append("soft \(table) \(softDelete)") }
        if case .resurrect = updateOfDeleted { lines.append("resurrect \(table)") }
        if let keyBlock { lines.append("keys \(table) \(keyBlock)") }
        return lines
    }
}

extension SimulatedWorld {
    /// Columns that do not travel like the others; nothing in a world without any.
    var columnLines: [String] {
        columns.sorted { $0.key < $1.key }.flatMap { table, settings in
            settings.hidden.sorted().map { "column \(table) hidden \($0)" }
                + settings.downOnly.sorted().map { "column \(table) down \($0)" }
        }
    }

    /// - Returns: Whether the line is an option of a table.
    mutating func readOption(_ line: String) throws -> Bool {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("soft", 3): rules[words[1], default: TableRules()].softDelete = words[2]
        case ("resurrect", 2): rules[words[1], default: TableRules()].updateOfDeleted = .resurrect
        case ("keys", 3):
            guard let count = Int(words[2]), count > 0 else { throw HistorySyntaxError(line) }
            rules[words[1], default: TableRules()].keyBlock = count
        case ("column", 4) where words[2] == "hidden":
            columns[words[1], default: ColumnSettings()].hidden.insert(words[3])
        case ("column", 4) where words[2] == "down":
            columns[words[1], default: ColumnSettings()].downOnly.insert(words[3])
        default: return false
        }
        return true
    }
}
