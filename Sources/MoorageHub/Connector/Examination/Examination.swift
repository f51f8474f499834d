public import MoorageCore

/// What a doctor asks a database about: the tables as they are, and as they were attached.
public struct Examination: Sendable {
    /// Every table of the owner's.
    public let tables: [CentralTable]
    /// The tables that are synced, or would be, as the database has them now. They have the rules
    /// and scopes of the configuration. A table that is not attached has the number 0.
    public let synced: [AttachedTable]
    /// Whether Moorage's own tables exist, even if they cannot be read.
    public let isAttached: Bool
    /// The attached tables that are not suspended, as they were attached; `nil` where none was
    /// attached, or where the doctor cannot read them.
    public let attached: [AttachedTable]?
    /// Names of attached tables that have other columns by now, which are not synced yet. Attaching
    /// would make other triggers today, although nobody altered the existing ones.
    public let grown: Set<String>
    /// The doctor reports transactions that are open for longer.
    public let longTransaction: Duration

    /// The hub's doctor makes it; a test of a connector may, too.
    public init(
        tables: [CentralTable], synced: [AttachedTable], isAttached: Bool,
        attached: [AttachedTable]?, grown: Set<String> = [],
        longTransaction: Duration = .seconds(60)
    ) {
        self.tables = tables
        self.synced = synced
        self.isAttached = isAttached
        self.attached = attached
        self.grown = grown
        self.longTransaction = longTransaction
    }

    /// Whether a table is still to be attached, as far as that is known.
    public func isNew(_ table: AttachedTable) -> Bool {
        table.number == 0 && (!isAttached || attached != nil)
    }

    /// ``longTransaction`` in whole seconds, rounded down, as statements need it.
    public var longTransactionSeconds: Int64 { longTransaction.components.seconds }
}

extension CentralConnection {
    /// One part of an examination, inside a savepoint. What cannot be read becomes a finding of its
    /// own, and the other parts go on.
    ///
    /// - Parameters:
    ///   - what: What the part examines, as the subject of "could not be looked at".
    ///   - repair: What would allow the doctor to read it.
    /// - Throws: ``CentralError`` of kind `unavailable`.
    public func examining(
        _ what: String, repair: Finding.Repair = .advice, _ work: () throws -> [Finding]
    ) throws -> [Finding] {
        try savepoint()
        do {
            let findings = try work()
            try releaseSavepoint()
            return findings
        } catch let error as CentralError where error.kind != .unavailable {
            try rollbackToSavepoint()
            return [
                Finding(
                    .notExamined, .note, "\(what) could not be looked at: \(error.message)",
                    repair: repair)
            ]
        }
    }
}

extension Examination {
    /// A column of a time without a zone has what the writer's clock showed. A server whose zone is
    /// not UTC writes other times into it than a device, which uses UTC.
    ///
    /// - Parameters:
    ///   - zone: The zone that the server gives to sessions that do not set one.
    ///   - retype: The statement that gives a column a zone, from that one; `nil` where there is no
    ///     such type.
    public func timeZoneFindings(
        zone: String, retype: (_ table: String, _ column: ColumnDescription) -> String?
    ) -> [Finding] {
        let utc = ["UTC", "ETC/UTC", "GMT", "ETC/GMT", "UCT", "ETC/UCT", "ZULU", "+00:00", "0"]
        guard !utc.contains(zone.uppercased()) else { return [] }
        let columns = synced.flatMap { table in
            table.description.columns.filter {
                if case .timestamp = $0.type { true } else { false }
            }.map { (table.name, $0) }
        }
        guard !columns.isEmpty else { return [] }
        let names = columns.prefix(5).map { "\($0.0).\($0.1.name)" }.joined(separator: ", ")
        let more = columns.count > 5 ? " and \(columns.count - 5) more" : ""
        let statements = columns.compactMap { retype($0.0, $0.1) }.map { "-- \($0)" }
        return [
            Finding(
                .timeZone, .note,
                """
                The server's time zone is \(zone), and \(names)\(more) hold times without a zone. Devices get \
                them as they are written: let every program write them in the same zone, or give the columns \
                one.
                """, repair: .sql(orAdvice: statements))
        ]
    }
}
