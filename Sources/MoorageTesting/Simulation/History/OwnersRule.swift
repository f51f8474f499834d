import MoorageCore

/// Rules of the owner's own in a world: each does what `client` or `server` does, so that an oracle
/// can judge them.
enum OwnersRule: String, CaseIterable {
    case handlerOfMine = "handler-mine"
    case handlerOfTheirs = "handler-theirs"
    case sqlOfMine = "sql-mine"
    case sqlOfTheirs = "sql-theirs"

    static let handlers: [OwnersRule] = [.handlerOfMine, .handlerOfTheirs]

    /// A busy machine must not make a handler late: a history has no real clock.
    private static let patience = Duration.seconds(60)

    var rule: MergeRule {
        switch self {
        case .handlerOfMine:
            .handler(MergeHandler("mine", timeLimit: Self.patience) { _ in .mine })
        case .handlerOfTheirs:
            .handler(MergeHandler("theirs", timeLimit: Self.patience) { _ in .theirs })
        case .sqlOfMine: .expression(RuleExpression("mine"))
        case .sqlOfTheirs: .expression(RuleExpression("theirs"))
        }
    }
}

extension MergeRule {
    /// The rule as a word of a story.
    var word: String {
        switch self {
        case .handler(let handler): "handler-\(handler.name)"
        case .expression(let expression): "sql-\(expression.text)"
        default: name
        }
    }

    init?(word: String) {
        guard let rule = MergeRule(name: word) ?? OwnersRule(rawValue: word)?.rule else {
            return nil
        }
        self = rule
    }

    /// What an owner's rule of a world comes to.
    var judged: MergeRule {
        switch OwnersRule(rawValue: word) {
        case .handlerOfMine?, .sqlOfMine?: .client
        case .handlerOfTheirs?, .sqlOfTheirs?: .server
        case nil: self
        }
    }
}
