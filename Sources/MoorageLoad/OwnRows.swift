#if Server
    import MoorageCore

    /// The rows that one device inserted, as the hub has them as far as the device knows.
    struct OwnRows: Sendable {
        private var keys: [RowKey] = []
        private var rows: [RowKey: (position: Int, row: [Value])] = [:]

        var count: Int { keys.count }

        /// The row with this key; `nil` for a row that the device did not insert.
        subscript(key: RowKey) -> [Value]? { rows[key]?.row }

        func contains(_ key: RowKey) -> Bool { rows[key] != nil }

        mutating func set(_ row: [Value], for key: RowKey) {
            if rows[key] != nil {
                rows[key]?.row = row
                return
            }
            rows[key] = (keys.count, row)
            keys.append(key)
        }

        mutating func remove(_ key: RowKey) {
            guard let position = rows.removeValue(forKey: key)?.position else { return }
            let last = keys.removeLast()
            guard position < keys.count else { return }
            keys[position] = last
            rows[last]?.position = position
        }

        /// The key of a random row; `nil` without rows.
        func random(using generator: inout some RandomNumberGenerator) -> RowKey? {
            keys.randomElement(using: &generator)
        }

        /// The first `count` keys.
        func prefix(_ count: Int) -> [RowKey] { Array(keys.prefix(count)) }
    }
#endif
