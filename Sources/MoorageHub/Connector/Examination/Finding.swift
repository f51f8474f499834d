/// Something about a central database that stands in the way of syncing it, or will.
public struct Finding: Hashable, Sendable {
    public let code: Code
    public let severity: Severity
    /// The table of the owner's that it is about, if it is about one.
    public let table: String?
    /// One or two full sentences: names and numbers, never what rows hold.
    public let message: String
    public let repair: Repair

    /// What it is, for programs; docs/doctor.md lists them all. A struct, so that a new one breaks no caller.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let name: String
        public var description: String { name }
    }

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

    /// What takes the finding away.
    public enum Repair: Hashable, Sendable {
        /// Statements to run one by one, each in a transaction of its own. Those that are comments are choices
        /// that nobody but the owner can make: `…` stands for what is his to fill in.
        case sql([String])
        /// A command line of ours.
        case command(String)
        /// What the sentence says.
        case advice
    }

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
    public static let attach = Finding.Repair.command("moorage attach")

    /// The statements; none where something else fixes it.
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
