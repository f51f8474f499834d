import MoorageCore

/// What a device might send: the same in each run.
enum GuardedBatch {
    static let replica = "6f9619ff-8b86-4011-b42d-00c04fc964ff"
    private static let time: DeviceTime = 1_790_000_000_000

    static func inserts(of items: [Item]) -> Batch {
        batch(items, number: 1) { .insert($0.values) }
    }

    /// A text and a number are another one in each row.
    static func updates(of items: [Item], number: Int64) -> Batch {
        batch(items, number: number) { item in
            .update([
                ColumnEdit(column: 1, old: .text(item.name), new: .text(item.note)),
                ColumnEdit(
                    column: 3, old: .integer(item.quantity), new: .integer(item.quantity + 1)),
            ])
        }
    }

    private static func batch(
        _ items: [Item], number: Int64, _ operation: (Item) -> Change.Operation
    ) -> Batch {
        Batch(
            number: number, nonce: "guard-\(number)", preparedAt: time, tables: [Item.table],
            changes: items.map {
                Change(
                    table: "item", key: RowKey([.text($0.id)]), operation: operation($0),
                    editedAt: time)
            })
    }
}
