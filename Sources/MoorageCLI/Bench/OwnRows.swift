#if Server
    import MoorageCore

    /// The rows that one device inserted, as the hub holds them for all it knows.
    struct OwnRows: Sendable {
        private var keys: [Key] = []
        private var rows: [Key: (position: Int, row: [Value])] = [:]

        var count: Int { keys.count }

        /// A row of its own; `nil` for any other.
        subscript(key: Key) -> [Value]? { rows[key]?.row }

        func contains(_ key: Key) -> Bool { rows[key] != nil }

        mutating func set(_ row: [Value], for key: Key) {
            if rows[key] != nil {
                rows[key]?.row = row
                return
            }
            rows[key] = (keys.count, row)
            keys.append(key)
        }

        mutating func remove(_ key: Key) {
            guard let position = rows.removeValue(forKey: key)?.position else { return }
            let last = keys.removeLast()
            guard position < keys.count else { return }
            keys[position] = last
            rows[last]?.position = position
        }

        /// Any of them; `nil` when there are none.
        func random(using generator: inout some RandomNumberGenerator) -> Key? {
            keys.randomElement(using: &generator)
        }

        /// The first so many.
        func prefix(_ count: Int) -> [Key] { Array(keys.prefix(count)) }
    }
#endif
