/// Something about a central database that prevents syncing it, or will.
public struct Finding: Hashable, Sendable {
    /// What was found, for programs.
    public let code: Code
    /// How urgent it is. The doctor lists the most urgent findings first.
    public let severity: Severity
    /// The table of the owner's that it is about, if it is about one.
    public let table: String?
    /// One or two full sentences: names and numbers, never values of rows.
    public let message: String
    /// What fixes it.
    public let repair: Repair

    /// What it is, for programs; docs/reference/doctor.md lists all codes. It is a struct, so that
    /// a new code breaks no caller.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code as `moorage doctor` prints it. It stays the same from release to release.
        public let name: String
        public var description: String { name }
    }

    /// How urgent a finding is. The most urgent severity sorts first.
    public enum Severity: String, Hashable, Sendable, CaseIterable, Comparable {
        /// Something does not work, or is not noticed.
        case problem
        /// It works, and will cost rows, time or trust some day.
        case warning
        /// Worth knowing.
        case note

        public static func < (left: Severity, right: Severity) -> Bool { left.place < right.place }

        private var place: Int {
            switch self {
            case .problem: 0
            case .warning: 1
            case .note: 2
            }
        }
    }

    /// What fixes the finding.
    public enum Repair: Hashable, Sendable {
        /// Statements to run one by one, each in a transaction of its own. Statements that are
        /// comments are choices that only the owner can make: `…` marks what the owner fills in.
        case sql([String])
        /// A command of Moorage's.
        case command(String)
        /// What the message says.
        case advice
    }

    /// - Parameters:
    ///   - table: The owner's table; `nil` for a finding about the whole database.
    ///   - message: One or two full sentences, without values of rows.
    ///   - repair: Leave it out where the message says what to do.
    public init(
        _ code: Code, _ severity: Severity, table: String? = nil, _ message: String,
        repair: Repair = .advice
    ) {
        self.code = code
        self.severity = severity
        self.table = table
        self.message = message
        self.repair = repair
    }
}

extension Finding.Repair {
    /// The owner runs `moorage attach`.
    public static let attach = Finding.Repair.command("moorage attach")

    /// The statements; empty where something else fixes the finding.
    public var statements: [String] {
        if case .sql(let statements) = self { statements } else { [] }
    }

    static func sql(orAdvice statements: [String]) -> Finding.Repair {
        statements.isEmpty ? .advice : .sql(statements)
    }
}

extension Finding {
    /// In the order in which an operator reads them.
    static func areInOrder(_ left: Finding, _ right: Finding) -> Bool {
        func place(_ code: Code) -> Int { Code.all.firstIndex(of: code) ?? Code.all.count }
        return (left.severity, place(left.code), left.table ?? "", left.message)
            < (right.severity, place(right.code), right.table ?? "", right.message)
    }
}
