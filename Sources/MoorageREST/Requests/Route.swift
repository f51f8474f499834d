extension RESTService {
    /// What a request is about, by its method and path.
    package enum Route: Hashable, Sendable {
        case openAPI
        case listTables
        case listRows(table: String)
        case insert(table: String)
        case read(RowPath)
        case replace(RowPath)
        case update(RowPath)
        case delete(RowPath)
        case batch
        case changes
        case manifest
        case synchronise

        /// Whether the request writes nothing, whatever it says.
        package var isRead: Bool {
            switch self {
            case .openAPI, .listTables, .listRows, .read, .changes, .manifest: true
            case .insert, .replace, .update, .delete, .batch, .synchronise: false
            }
        }
    }

    /// The path of a row.
    package struct RowPath: Hashable, Sendable {
        package let table: String
        /// The text of each value of the key.
        package let key: [String]
    }

    /// More than any table's name and the text of its key need. A batch can name a longer key.
    private static let mostPathBytes = 8_192
    /// More columns than any database has in a key.
    private static let mostKeyColumns = 64

    /// Reads a path, byte for byte: `/v1/tables/` is another path than `/v1/tables`.
    ///
    /// - Parameter path: Percent-encoded as it came, without the query.
    /// - Returns: `nil` for a path that is not one of these.
    /// - Throws: ``RESTProblem`` with `Allow` for another method, and for a path that cannot be
    ///   decoded.
    package static func route(method: String, path: String) throws(RESTProblem) -> Route? {
        guard let choices = try choices(for: path) else { return nil }
        guard let choice = choices.first(where: { $0.method == method }) else {
            throw .wrongMethod(allowed: choices.map(\.method))
        }
        return choice.route
    }

    private static func choices(
        for path: String
    ) throws(RESTProblem) -> [(method: String, route: Route)]? {
        let segments = path.utf8.split(
            separator: UInt8(ascii: "/"), maxSplits: 5, omittingEmptySubsequences: false)
        guard (3...5).contains(segments.count), segments[0].isEmpty,
            segments[1].elementsEqual("v1".utf8)
        else { return nil }
        let single: [(name: String, method: String, route: Route)] = [
            ("batch", "POST", .batch), ("changes", "GET", .changes),
            ("manifest", "POST", .manifest), ("synchronise", "POST", .synchronise),
            ("openapi.json", "GET", .openAPI),
        ]
        if segments.count == 3,
            let one = single.first(where: { segments[2].elementsEqual($0.name.utf8) })
        {
            return [(one.method, one.route)]
        }
        guard segments[2].elementsEqual("tables".utf8) else { return nil }
        if segments.count == 3 { return [("GET", .listTables)] }
        guard !segments[3].isEmpty else { return nil }
        guard path.utf8.count <= mostPathBytes else {
            throw .addressTooLong(most: mostPathBytes)
        }
        let table = try decode(segments[3])
        guard segments.count == 5 else {
            return [("GET", .listRows(table: table)), ("POST", .insert(table: table))]
        }
        var key: [String] = []
        for part in segments[4].split(
            separator: UInt8(ascii: ","), maxSplits: mostKeyColumns,
            omittingEmptySubsequences: false)
        {
            key.append(try decode(part))
        }
        let row = RowPath(table: table, key: key)
        return [
            ("GET", .read(row)), ("PUT", .replace(row)), ("PATCH", .update(row)),
            ("DELETE", .delete(row)),
        ]
    }

    private static func decode(_ text: Substring.UTF8View) throws(RESTProblem) -> String {
        guard let text = PercentEncoding.decode(text) else { throw .badPath }
        return text
    }
}
