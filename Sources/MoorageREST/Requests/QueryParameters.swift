import MoorageCore

/// The parameters of a query (`application/x-www-form-urlencoded`), each at most once.
struct QueryParameters {
    enum Name: String, Hashable {
        case filter, sort, limit, after, columns, related, count, upsert, atomic
        case since, tables
    }

    /// A filter of 10,000 bytes, with each byte encoded, and the place where a list goes on.
    private static let mostBytes = 65_536

    /// In the order of the query.
    let all: [(name: Name, value: String)]

    /// - Parameters:
    ///   - query: As it came; `nil` without one.
    ///   - known: What the request takes.
    init(_ query: String?, _ known: [Name]) throws(RESTProblem) {
        let query = query ?? ""
        guard query.utf8.count <= Self.mostBytes else {
            throw .addressTooLong(most: Self.mostBytes)
        }
        var all: [(name: Name, value: String)] = []
        for part in query.utf8.split(separator: UInt8(ascii: "&")) {
            let halves = part.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let text = PercentEncoding.decode(form: halves[0]),
                let value = PercentEncoding.decode(form: halves.dropFirst().first ?? "".utf8[...])
            else { throw .badQuery }
            guard let name = Name(rawValue: text), known.contains(name) else {
                throw .unknownParameter(text, known: known.map(\.rawValue))
            }
            guard !all.contains(where: { $0.name == name }) else {
                throw .parameterTwice(text)
            }
            all.append((name, value))
        }
        self.all = all
    }

    subscript(_ name: Name) -> String? { all.first { $0.name == name }?.value }

    /// `true` or `false`; `nil` where the query does not have it.
    func flag(_ name: Name) throws(RESTProblem) -> Bool? {
        switch self[name] {
        case nil: nil
        case "true": true
        case "false": false
        default: throw .wrongFlag(name.rawValue)
        }
    }

    /// A number of rows; `nil` where the query does not have it.
    func limit(_ range: ClosedRange<Int>) throws(RESTProblem) -> Int? {
        guard let text = self[.limit] else { return nil }
        guard let limit = Int(text), range.contains(limit) else { throw .wrongLimit(range) }
        return limit
    }

    /// The query with another value of one parameter, which comes last.
    func with(_ name: Name, _ value: String) -> String {
        (all.filter { $0.name != name } + [(name, value)])
            .map { "\($0.name.rawValue)=\(PercentEncoding.encode($0.value))" }
            .joined(separator: "&")
    }
}
