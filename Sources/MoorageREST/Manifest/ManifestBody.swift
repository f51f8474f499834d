import MoorageCore

/// The body of `/v1/manifest`, before the hub knows its tables.
struct ManifestBody: Sendable {
    static let mostTables = 100
    /// Entries of one request.
    static let mostEntries = 10_000
    /// Ranges with digests of one request.
    static let mostRanges = 256

    let tables: [TableManifest]

    init(_ json: JSON) throws(RESTProblem) {
        guard let members = json.section else { throw .noManifest }
        var tables: [TableManifest] = []
        for (name, value) in members {
            guard name == "tables", let named = value.section else { throw .noManifest }
            guard named.count <= Self.mostTables else {
                throw .tooManyTables(most: Self.mostTables)
            }
            for (name, value) in named { tables.append(try TableManifest(value, of: name)) }
        }
        guard tables.reduce(0, { $0 + $1.entries.count }) <= Self.mostEntries else {
            throw .tooManyEntries(most: Self.mostEntries)
        }
        guard tables.reduce(0, { $0 + $1.ranges.count }) <= Self.mostRanges else {
            throw .tooManyRanges(most: Self.mostRanges)
        }
        self.tables = tables
    }
}

/// What a client says of its rows of one table.
struct TableManifest: Sendable {
    /// Rows of the hub that one answer compares.
    static let limits = 1...10_000

    let name: String
    private(set) var entries: [ManifestEntry] = []
    /// The rows of the hub with which these are compared.
    private(set) var range = ManifestRange()
    private(set) var limit = limits.upperBound
    /// The column that says when a row was changed.
    private(set) var modified: String?
    /// The columns of which digests are made.
    private(set) var digested: [String] = []
    /// Digests of ranges, in place of entries.
    private(set) var ranges: [ManifestRange] = []

    init(_ json: JSON, of name: String) throws(RESTProblem) {
        self.name = name
        guard let members = json.section else { throw .noTableManifest(name) }
        for (member, value) in members { try read(member, value) }
        let isAlone = members.allSatisfy { member, value in
            member == "ranges" || value.isNull
                || Self.lists.contains(member) && value.list?.isEmpty == true
        }
        guard ranges.isEmpty || isAlone else { throw .noTableManifest(name) }
    }

    /// The members that are lists, and may be without anything beside `ranges`.
    static let lists = ["rows", "digest"]

    private mutating func read(_ member: String, _ value: JSON) throws(RESTProblem) {
        switch member {
        case "rows":
            guard let list = value.list else { throw .noTableManifest(name) }
            guard list.count <= ManifestBody.mostEntries else {
                throw .tooManyEntries(most: ManifestBody.mostEntries)
            }
            for json in list { entries.append(try ManifestEntry(json)) }
        case "ranges":
            guard let list = value.list else { throw .noTableManifest(name) }
            guard list.count <= ManifestBody.mostRanges else {
                throw .tooManyRanges(most: ManifestBody.mostRanges)
            }
            for json in list { ranges.append(try ManifestRange(json)) }
        case "after": range.after = value.isNull ? nil : value
        case "upTo": range.upTo = value.isNull ? nil : value
        case "limit":
            if value.isNull { return }
            // `100.0` is an integer of JSON, too.
            guard case .number(let text) = value, let number = Double(text),
                let limit = Int(exactly: number), Self.limits.contains(limit)
            else { throw .wrongManifestLimit(Self.limits) }
            self.limit = limit
        case "modified":
            if value.isNull { return }
            guard case .string(let column) = value else { throw .noTableManifest(name) }
            modified = column
        case "digest":
            guard let list = value.list else { throw .noTableManifest(name) }
            for json in list {
                guard case .string(let column) = json else { throw .noTableManifest(name) }
                digested.append(column)
            }
        default: throw .noTableManifest(name)
        }
    }
}

/// Rows whose keys follow each other.
struct ManifestRange: Sendable {
    /// The key behind which it begins; `nil` from the first row.
    var after: JSON?
    /// The last key in it; `nil` to the last row.
    var upTo: JSON?
    /// What the client has there.
    private(set) var digest = ""

    init() {}

    init(_ json: JSON) throws(RESTProblem) {
        guard case .object(let members) = json else { throw .noManifestRange }
        var digest: String?
        for (name, value) in members {
            switch (name, value) {
            case ("after", _): after = value.isNull ? nil : value
            case ("upTo", _): upTo = value.isNull ? nil : value
            case ("digest", .string(let text)): digest = text
            default: throw .noManifestRange
            }
        }
        guard let digest else { throw .noManifestRange }
        self.digest = digest
    }
}
