import MoorageCore
import MoorageHub

/// The body of `/v1/synchronise`, before the hub knows its tables.
struct SynchroniseBody: Sendable {
    /// Rows that a request gets, for all tables.
    static let mostGets = 1_000

    /// A client repeats what was refused, so each row is carried out by itself where the request
    /// does not say it.
    private(set) var isAllOrNothing = false
    private(set) var tables: [TableChanges] = []

    var hasWrites: Bool { tables.contains { $0.writeCount > 0 } }

    init(_ json: JSON) throws(RESTProblem) {
        guard let members = json.section else { throw .noChanges }
        for (name, value) in members {
            switch (name, value) {
            case ("atomic", .null): break
            case ("atomic", .bool(let flag)): isAllOrNothing = flag
            case ("tables", _):
                guard let named = value.section else { throw .noChanges }
                guard named.count <= ManifestBody.mostTables else {
                    throw .tooManyTables(most: ManifestBody.mostTables)
                }
                for (name, value) in named { tables.append(try TableChanges(value, of: name)) }
            default: throw .noChanges
            }
        }
        guard tables.reduce(0, { $0 + $1.writeCount }) <= BatchBody.mostWrites else {
            throw .tooManyWrites(most: BatchBody.mostWrites)
        }
        guard tables.reduce(0, { $0 + $1.get.count }) <= Self.mostGets else {
            throw .tooManyEntries(most: Self.mostGets)
        }
    }
}

/// What a client asks for rows of one table.
struct TableChanges: Sendable {
    /// A row that the request names by its key.
    struct Named: Sendable {
        let key: JSON
        /// The version in which a row is deleted; `nil` for any.
        let version: String?
    }

    let name: String
    /// Rows as objects, with the rows that are linked to them.
    private(set) var add: [JSON] = []
    private(set) var update: [JSON] = []
    private(set) var delete: [Named] = []
    private(set) var get: [Named] = []
    /// The related rows that come with what the request gets.
    private(set) var related: [RelatedTree] = []

    /// Without the rows that are linked to others.
    var writeCount: Int { add.count + update.count + delete.count }

    init(_ json: JSON, of name: String) throws(RESTProblem) {
        self.name = name
        guard let members = json.section else { throw .noTableChanges(name) }
        for (member, value) in members {
            guard let list = value.list else { throw .noTableChanges(name) }
            switch member {
            case "related": related = try Self.related(list, of: name)
            case "add": add = list
            case "update": update = list
            case "delete": for json in list { delete.append(try Named(json)) }
            case "get": for json in list { get.append(try Named(json)) }
            default: throw .noTableChanges(name)
            }
        }
    }

    private static func related(
        _ list: [JSON], of table: String
    ) throws(RESTProblem) -> [RelatedTree] {
        var paths: [String] = []
        for json in list {
            guard case .string(let path) = json else { throw .noTableChanges(table) }
            paths.append(path)
        }
        return paths.isEmpty ? [] : try RelatedTree.all(of: paths.joined(separator: ","))
    }
}

extension TableChanges.Named {
    fileprivate init(_ json: JSON) throws(RESTProblem) {
        guard case .object(let members) = json else {
            self.init(key: json, version: nil)
            return
        }
        var key: JSON?
        var version: String?
        for (name, value) in members {
            switch (name, value) {
            case ("key", _): key = value
            case ("version", .null): break
            case ("version", .string(let text)): version = text
            default: throw .noChangedKey
            }
        }
        guard let key else { throw .noChangedKey }
        self.init(key: key, version: version)
    }
}
