import MoorageCore
import MoorageHub

/// Compares the rows of a client with those that its user may see.
struct ManifestReading {
    /// Bytes of the rows that are compared, as far as they follow each other.
    static let mostBytes = 32_000_000
    /// Bytes of the other rows, which are looked up by their keys.
    static let mostLookedUpBytes = 32_000_000
    /// Rows of the ranges whose digests are compared.
    static let mostDigested = 50_000
    static let mostDigestedBytes = 64_000_000

    private let reader: RowReader
    private var scanned = ReadLimit(rows: TableManifest.limits.upperBound, bytes: mostBytes)
    private var lookedUp = ReadLimit(
        rows: ManifestBody.mostEntries, bytes: mostLookedUpBytes)
    private var digested = ReadLimit(rows: mostDigested, bytes: mostDigestedBytes)

    init(_ reader: RowReader) { self.reader = reader }

    mutating func answer(_ manifest: TableManifest) throws -> ManifestAnswer {
        let table = try reader.schema.offeredTable(named: manifest.name)
        let own = try ManifestTable(manifest, of: table)
        if !manifest.ranges.isEmpty {
            let ranges = try manifest.ranges.map { (try own.range($0), $0.digest) }
            return ManifestAnswer(
                manifest.name, table, .ranges(try ranges.map { try compare($0, $1, table) }))
        }
        let rows = try compare(own, try own.range(manifest.range), most: manifest.limit)
        return ManifestAnswer(manifest.name, table, .rows(rows))
    }

    // MARK: Rows

    private mutating func compare(
        _ own: ManifestTable, _ range: KeyRange, most: Int
    ) throws -> ManifestAnswer.Rows {
        var rows = ManifestAnswer.Rows(own)
        rows.next = try reader.scan(range, of: own.table, within: &scanned, most: most) {
            rows.compare($0, isListed: true)
        }
        let keys = rows.unmet
        let count = try reader.read(keys, of: own.table, within: &lookedUp) {
            rows.compare($0, isListed: false)
        }
        guard count == keys.count else {
            throw RowProblem.tooManyRead(most: Self.mostLookedUpBytes)
        }
        rows.end(gone: try reader.gone(among: rows.doubtful, of: own.table))
        return rows
    }

    // MARK: Ranges

    private mutating func compare(
        _ range: KeyRange, _ digest: String, _ table: RowTable
    ) throws -> ManifestAnswer.Range {
        if digested.isUsedUp { return .unread }
        var lines: [[UInt8]] = []
        let next = try reader.scan(range, of: table, within: &digested) { row in
            let key = table.description.text(of: table.description.key(of: row.values))
            lines.append(Array("\(key)\0\(row.etag)\n".utf8))
        }
        if next != nil {
            digested.rows = 0
            return .unread
        }
        var own = SHA256()
        for line in lines.sorted(by: { $0.lexicographicallyPrecedes($1) }) { own.add(line) }
        return own.hex.hasSameBytes(as: digest) ? .same : .differs(rows: lines.count)
    }
}
