import Moorage

/// Why a call of a sandbox failed: a mistake in the test, or rows that are not equal.
public struct SandboxError: Error, Sendable, CustomStringConvertible {
    /// What kind of error it is, for programs.
    public let code: Code
    /// What happened, and what to look at. It may name keys: rows of a sandbox are nobody's.
    public let message: String
    /// The error of a history that failed; `nil` for other errors.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }

    /// A stable code; a struct, so that a new one breaks no caller.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code as text.
        public let rawValue: String

        /// A code by its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The test or its suite has no trait that makes a sandbox.
        public static let noSandbox = Code(rawValue: "noSandbox")
        /// Devices still exchange rows after a hundred rounds, or one of them cannot catch up.
        public static let notCaughtUp = Code(rawValue: "notCaughtUp")
        /// A device has other rows than the hub, or a reference leads nowhere.
        public static let rowsDiffer = Code(rawValue: "rowsDiffer")
        /// There is no backup to restore.
        public static let noBackup = Code(rawValue: "noBackup")
        /// A table that no random edit of any history could write.
        public static let tableNotWritten = Code(rawValue: "tableNotWritten")
        /// A history failed; the message says how to repeat it.
        public static let historyFailed = Code(rawValue: "historyFailed")
    }

    static let noSandbox = SandboxError(
        .noSandbox, "Give the test or its suite the trait `.sandbox(tables:migrator:)`.")

    static let noBackup = SandboxError(.noBackup, "Call `backUp()` before `restore()`.")

    static func notCaughtUp(_ states: [String]) -> SandboxError {
        SandboxError(.notCaughtUp, states.joined(separator: " "))
    }

    static func differs(_ device: String, _ rows: [RowDifference]) -> SandboxError {
        let first = rows.prefix(5).map { "\($0.table) \($0.key): \($0.kind.rawValue)" }
        return SandboxError(
            .rowsDiffer,
            """
            \(device) and the hub differ in \(rows.count) rows: \(first.joined(separator: ", ")).
            """)
    }

    static func danglingReferences(_ place: String, _ tables: [String]) -> SandboxError {
        SandboxError(
            .rowsDiffer,
            "Rows refer to rows that are not there, at \(place): \(tables.joined(separator: ", "))."
        )
    }

    static func notWritten(_ table: String, tries: Int) -> SandboxError {
        SandboxError(
            .tableNotWritten,
            """
            None of \(tries) random edits of \(table) passed its constraints. Give the histories \
            `edits` that know what the app writes.
            """)
    }

    static func failed(seed: UInt64, _ error: any Error) -> SandboxError {
        SandboxError(
            .historyFailed, "\(error) Repeat it with `run(seeds: \(seed)..<\(seed + 1))`.",
            cause: error)
    }
}
