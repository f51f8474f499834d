import MoorageCore

/// What a program reads the changes of: some tables as one user sees them.
struct ChangeFeed: Sendable {
    /// In foreign-key order.
    let tables: [RowTable]
    /// The scopes in which each table is read, in order.
    let scopes: [[Scope]]
    /// Whether each table has a rule for its scopes.
    private let isScoped: [Bool]
    /// All of these scopes, in order.
    private let all: [Scope]
    private let secret: String
    private let epoch: Epoch
    private let user: String?

    /// - Parameter visible: The scopes that the user may see.
    init(
        of tables: [RowTable], _ settings: ScopeSettings, visible: Set<Scope>, facts: HubFacts,
        principal: Principal?
    ) {
        self.tables = tables
        let sorted = visible.sorted()
        isScoped = tables.map { settings.rules[$0.name] != nil }
        scopes = isScoped.map { $0 ? sorted : [.everything] }
        all = isScoped.contains(true) ? sorted : [.everything]
        secret = facts.cursorSecret
        epoch = facts.epoch
        user = principal?.subject
    }

    /// A code that only this hub can make. It covers what a position is of: the user, the epoch, the
    /// tables with their columns, and the scopes (H2). It also covers which tables have scopes: a
    /// table that has none any more is not read in those that it had, where its deletes are.
    func code(of position: String) -> String {
        var code = SignatureCode("changes", secret)
        code.add(user.map { [$0] } ?? [])
        code.add([epoch.text])
        for (table, isScoped) in zip(tables, isScoped) {
            code.add([table.name, table.description.signature, isScoped ? "scoped" : ""])
        }
        code.add(all.map(\.name))
        code.add([position])
        return code.hex
    }

    func text(of position: ChangePosition) throws -> String { try position.text(code) }

    /// - Throws: ``RowProblem`` `expired` for a position of another feed, or of none.
    func position(_ text: String) throws -> ChangePosition {
        try ChangePosition(text, tables: tables.count, code)
    }
}
