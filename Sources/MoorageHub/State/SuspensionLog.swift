import Logging
import MoorageCore
import MoorageSupport

/// Logs which tables are suspended, each once with its reason, and when they go on.
final class SuspensionLog: Sendable {
    private let logger: Logger
    /// The reasons that were logged, by table.
    private let told = Locked<[Identifier: String]>([:])

    init(_ logger: Logger) { self.logger = logger }

    func update(_ schema: AttachedSchema) {
        let before = told.withLock { told in
            defer { told = schema.suspended }
            return told
        }
        for (table, reason) in schema.suspended.sorted(by: { $0.key < $1.key })
        where before[table] != reason {
            logger.warning(
                "A table is suspended: no device sends or receives its rows.",
                metadata: ["table": "\(table)", "reason": "\(reason)"])
        }
        for table in before.keys.sorted() where schema.suspended[table] == nil {
            logger.notice("A table is synced again.", metadata: ["table": "\(table)"])
        }
    }
}
