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
        try repeating {
            for step in try connection.addKeySteps(to: table) { try connection.runStep(step) }
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

    func removeKey(from table: AttachedTable) throws {
        try repeating {
            for step in try connection.removeKeySteps(from: table) { try connection.runStep(step) }
        }
        try retrying { try Metadata(connection: connection).endAddedKey(of: table) }
    }
}
