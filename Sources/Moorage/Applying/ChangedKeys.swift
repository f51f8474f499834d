import MoorageCore

/// The keys of a table's rows that have a local change. The writer of a page checks them for each
/// row.
enum ChangedKeys {
    case none
    case keys(Set<LocalKey>)
    /// Too many to remember: the log has an index, and each row queries it.
    case many

    private static let remembered = 20_000

    init(_ reading: LogReading) throws {
        switch try reading.count(upTo: Self.remembered + 1) {
        case 0: self = .none
        case ...Self.remembered:
            let keys = reading.keys.joined(separator: ", ")
            let statement = try reading.statements("SELECT \(keys) FROM \(reading.log)")
            var found: Set<LocalKey> = []
            while try statement.step() {
                found.insert(LocalKey(statement))
            }
            self = .keys(found)
        default:
            try reading.makeIndexes()
            self = .many
        }
    }

    /// Whether the log may have entries of the row.
    func mayContain(_ localKey: LocalKey) -> Bool {
        switch self {
        case .none: false
        case .keys(let keys): keys.contains(localKey)
        case .many: true
        }
    }

    /// Adds a row that has a local change from now on.
    mutating func insert(_ localKey: LocalKey) {
        switch self {
        case .none: self = .keys([localKey])
        case .keys(var keys):
            // Otherwise the insert would copy the set.
            self = .none
            keys.insert(localKey)
            self = .keys(keys)
        case .many: break
        }
    }
}
