/// What happens to a value, or a row, that a replica and the central database both changed
/// (docs/reference/merge-rules.md).
public enum MergeRule: Hashable, Sendable {
    /// The later edit, by the hub's clock; at equal times the central value.
    case newest
    /// The central value.
    case server
    /// The replica's value.
    case client
    /// Both changes of a number: the hub adds the replica's difference to the central value.
    case add
    /// The larger, or later, of the two.
    case max
    /// The smaller, or earlier, of the two.
    case min
    /// Both changes of a JSON array that is a set: with what either side added, and without what
    /// either side removed.
    case union
    /// Both changes of a text, line by line; where they overlap, both versions.
    case text
    /// Both rows: the central one keeps the key, and the replica's row gets one of its own.
    case keepBoth
    /// Swift code of the owner.
    case handler(MergeHandler)
    /// An SQL expression that the central database evaluates.
    case expression(RuleExpression)
}

extension MergeRule {
    /// The rules that pick one of the two sides, for any type.
    public static let deciding: [MergeRule] = [.newest, .server, .client]

    /// The rules that have a name of their own in `moorage.yaml`.
    public static let named: [MergeRule] =
        deciding + [.add, .max, .min, .union, .text, .keepBoth]

    /// A rule by its name in `moorage.yaml`; `nil` when no rule has that name.
    public init?(name: String) {
        guard let rule = Self.named.first(where: { $0.name.hasSameBytes(as: name) }) else {
            return nil
        }
        self = rule
    }

    /// What the conflict log and messages call the rule.
    public var name: String {
        switch self {
        case .newest: "newest"
        case .server: "server"
        case .client: "client"
        case .add: "add"
        case .max: "max"
        case .min: "min"
        case .union: "union"
        case .text: "text"
        case .keepBoth: "keepBoth"
        case .handler(let handler): "handler \(handler.name)"
        case .expression: "sql"
        }
    }

    /// Whether the rule makes one value from two, and so applies to single columns only.
    var isOfValues: Bool {
        switch self {
        case .add, .max, .min, .union, .text, .expression: true
        case .newest, .server, .client, .keepBoth, .handler: false
        }
    }
}
