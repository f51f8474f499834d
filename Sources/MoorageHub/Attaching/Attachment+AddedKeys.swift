/// The column that an attach adds to a table without any key (docs/decisions/0104).
extension Attachment {
    func addKey(to item: Plan.Item, _ progress: (String) -> Void) throws {
        let table = item.table
        let metadata = Metadata(connection: connection)
        try retrying {
            if item.previous == nil { try metadata.begin(table) }
            try metadata.setAddedKey(of: table)
        }
        // A step may leave something behind when it fails, so each attempt asks what is missing.
        do {
            try repeating {
                for step in try connection.addKeySteps(to: table) { try connection.runStep(step) }
            }
        } catch {
            forgetKeyThatFailed(of: item)
            throw error
        }
        try repeating {
            try connection.fillKeys(of: table, batch: batchRows) {
                progress("attaching \(table.name): keys for its rows")
                try afterBatch()
            }
        }
        try repeating {
            for step in try connection.closeKeySteps(of: table) { try connection.runStep(step) }
        }
    }

    /// Forgets that a table was to get a key where it has none of the column yet. Otherwise each
    /// later attach would try again, asked or not, and fail in the same way. A record that cannot
    /// be removed now only leads to that.
    private func forgetKeyThatFailed(of item: Plan.Item) {
        guard (try? connection.removeKeySteps(from: item.table).isEmpty) == true else { return }
        let metadata = Metadata(connection: connection)
        try? retrying {
            try metadata.endAddedKey(of: item.table)
            if item.previous == nil { try metadata.end(item.table) }
        }
    }

    func removeKey(from table: AttachedTable) throws {
        try repeating {
            for step in try connection.removeKeySteps(from: table) { try connection.runStep(step) }
        }
        try retrying { try Metadata(connection: connection).endAddedKey(of: table) }
    }
}
