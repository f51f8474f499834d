public import MoorageCore

/// A trigger, or a rule, of the owner's on a synced table.
public struct TriggerFact: Hashable, Sendable {
    /// The trigger's or rule's name, for the message.
    public let name: String
    /// The name of the synced table that it belongs to.
    public let table: String
    /// Whether it changes the row that is written, or drops it.
    public let changesRow: Bool
    /// The tables that it writes, without those that its procedures write, which are unknown.
    public let written: [String]
    /// The statement that removes it.
    public let drop: String

    /// - Parameters:
    ///   - changesRow: `true` also where the connector cannot read what the trigger does.
    ///   - written: Names without schemas, as `SQLWords.written` returns them.
    ///   - drop: One statement, which the finding shows as a choice of the owner's.
    public init(name: String, table: String, changesRow: Bool, written: [String], drop: String) {
        self.name = name
        self.table = table
        self.changesRow = changesRow
        self.written = written
        self.drop = drop
    }

    /// - Parameter synced: The tables that are synced.
    public func finding(synced: [TableDescription]) -> Finding? {
        let targets = synced.filter { table in
            written.contains { table.name.isWrittenAs($0) }
        }
        guard changesRow || !targets.isEmpty else { return nil }
        var words = ["The trigger \(name) on \(table)"]
        if changesRow {
            words.append("changes the rows that are written: devices see it with the answer.")
        }
        if !targets.isEmpty {
            let names = targets.map(\.name).joined(separator: ", ")
            words.append(
                (changesRow ? "It" : "") + (changesRow ? " also" : "")
                    + " writes \(names): devices see it with the next page.")
            if targets.contains(where: \.direction.acceptsChanges) {
                words.append(
                    """
                    A device that has the same trigger would send its effect, which then happens twice: keep it \
                    on one side.
                    """)
            }
        }
        words.append(
            """
            On a device such a trigger needs `WHEN NOT EXISTS (SELECT 1 FROM _moorage_applying)`.
            """)
        let message = words.joined(separator: " ").replacing("  ", with: " ")
        return Finding(
            .triggerEchoes, .note, table: table, message,
            repair: .sql(["-- where devices do it: \(drop)"]))
    }
}

extension String {
    /// Whether a statement means this table by a name. SQL ignores the case of ASCII letters, and
    /// the name may have a schema before it.
    fileprivate func isWrittenAs(_ name: String) -> Bool {
        let plain = split(separator: ".").last.map(String.init) ?? self
        return [self, plain].contains {
            $0.lowercased().hasSameBytes(as: name.lowercased())
        }
    }
}
