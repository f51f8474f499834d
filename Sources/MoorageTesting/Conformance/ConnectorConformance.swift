public import MoorageHub

/// What every connector must do: a list of checks, each on an empty database of its own.
///
/// ```swift
/// @Test(arguments: ConnectorConformance.checks)
/// func `SQLite honours the connector contract`(check: ConnectorConformance.Check) throws {
///     try check.run(against: subject)
/// }
/// ```
public enum ConnectorConformance {
    /// One fact, and the work that shows it.
    public struct Check: Sendable, CustomStringConvertible {
        /// What a connector does when it passes, as a sentence; tests show it.
        public let name: String
        private let body: @Sendable (ConformanceBench) throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (ConformanceBench) throws -> Void) {
            self.name = name
            self.body = body
        }

        /// - Throws: ``ConformanceFailure`` when the connector does otherwise.
        public func run(against subject: any ConformanceSubject) throws {
            try body(ConformanceBench(subject))
        }

        public var description: String { name }
    }

    /// Every check, group by group.
    public static let checks: [Check] = groups.flatMap { $0 }

    /// Every so many checks of each part of the contract, one at least: for another way to reach a
    /// database on which ``checks`` are all tried. With the long counts (`MOORAGE_NIGHTLY=1`) it is
    /// all.
    ///
    /// - Parameter place: The first one's place in its part, so that tests can share the checks
    ///   out.
    package static func sample(every step: Int, from place: Int = 0) -> [Check] {
        groups.flatMap { $0.sample(every: step, from: place) }
    }

    /// The checks by the part of the contract that they try.
    private static let groups: [[Check]] = [
        schemaChecks, watchingChecks, attachChecks, fillingChecks, trackingChecks, clockChecks,
        retentionChecks, pushChecks, refusalChecks, scopeChecks, feedChecks, pagingChecks,
        filterChecks, queryChecks, queryScopeChecks, liveChecks, databaseStateChecks,
        doctorChecks, keyChecks,
    ]
}

/// The connector under test, with an empty database, and a way in for the owner's own programs.
public protocol ConformanceSubject: Sendable {
    /// The connector, on an empty database of its own.
    var database: any CentralDatabase { get }
    /// A connection of another program.
    func openSession() throws -> any OwnerSession
    /// A table's name as the database keeps it. MariaDB and MySQL can be set to keep names in lower
    /// case.
    func storedName(_ table: String) -> String
}

extension ConformanceSubject {
    package func storedName(_ table: String) -> String { table }
}

/// Another program at the central database: it knows nothing of Moorage.
public protocol OwnerSession: AnyObject {
    /// One or more statements, in the SQL that SQLite and PostgreSQL share.
    func execute(_ sql: String) throws
}

/// Why a connector does not conform.
public struct ConformanceFailure: Error, CustomStringConvertible {
    public let description: String

    /// - Parameter description: What the connector did, and what it should have done.
    public init(description: String) { self.description = description }
}
