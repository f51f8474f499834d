import MoorageTesting

/// One entry point for bytes from outside, and what must be true whatever the bytes are.
struct FuzzTarget: Sendable {
    let name: String
    /// Words that inputs contain: the fuzzer would take long to guess them.
    let words: [String]
    /// Makes a real input, or nearly one, for the fuzzer to start with.
    let seed: @Sendable (inout SeededGenerator) throws -> [UInt8]
    /// What is wrong; `nil` if nothing is. Typed errors are fine. A trap, a hang, an error of any
    /// other type and unbounded memory are not.
    let problem: @Sendable ([UInt8]) throws -> String?

    static let all: [FuzzTarget] = {
        var targets: [FuzzTarget] = [
            .frame, .stream, .message, .cursor, .names, .table, .answer, .push,
        ]
        #if Server
            targets.append(.configuration)
        #endif
        return targets
    }()

    /// Runs one input. An unexpected error is also a problem.
    func verdict(_ bytes: [UInt8]) -> String? {
        do {
            return try problem(bytes)
        } catch {
            return "an error that is not typed: \(error)"
        }
    }
}

/// Every word that our messages contain.
let messageWords = [
    "protocol", "replica", "hub", "sentAt", "tables", "cursor", "schema", "answered", "batch",
    "limits",
    "rows",
    "bytes", "pages", "number", "nonce", "preparedAt", "changes", "table", "key", "at", "again",
    "insert", "update", "delete", "refetch", "epoch", "checkpoint", "complete", "partial", "scan",
    "ahead", "highWater", "signature", "readAt", "scanCode", "upperBound", "scopes", "position",
    "scope", "version", "welcome", "outcomes", "page", "end",
    "error", "time", "suspended", "name", "reason", "batchRows", "batchBytes", "valueBytes",
    "status",
    "applied", "alreadyApplied", "forked", "notTaken", "list", "is", "merged", "overruled",
    "refused", "stored", "since", "caughtUp", "expected", "removals", "withheld", "keys", "columns",
    "row", "column", "more", "code", "message", "retryAfter", "type", "notNull", "generated",
    "centralDefault", "default", "unique", "foreign", "references", "onDelete", "onUpdate",
    "deferrable", "noAction", "restrict", "cascade", "setNull", "setDefault", "integer", "boolean",
    "real", "decimal", "text", "blob", "uuid", "date", "json", "time(6)", "timestamp(3)",
    "instant(0)", "fingerprint", "beyond", "values", "after", "next", "nan", "inf", "-inf",
]
