import MoorageCore

/// A code that only the hub can make, of what it covers: lists, each with its length before it.
struct SignatureCode {
    private var fingerprint: Fingerprint

    /// - Parameters:
    ///   - kind: Distinguishes codes of one thing from those of another.
    ///   - secret: The hub's secret for signatures.
    init(_ kind: String, _ secret: String) {
        fingerprint = Fingerprint(secret: secret)
        add([kind])
    }

    mutating func add(_ texts: [String]) {
        fingerprint.add(UInt64(texts.count))
        for text in texts { fingerprint.add(text.utf8) }
    }

    mutating func add(_ scopes: Set<Scope>) { add(scopes.sorted().map(\.name)) }

    mutating func add(_ key: RowKey) {
        fingerprint.add(UInt64(key.values.count))
        for value in key.values { fingerprint.add(value) }
    }

    var hex: String { fingerprint.hex }

    /// Takes the same time wherever they differ.
    static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
