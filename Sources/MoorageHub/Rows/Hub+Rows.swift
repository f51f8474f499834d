import Foundation
import MoorageCore
import MoorageWire

/// A hub whose rows programs read and write without being replicas.
package protocol RowHub: Sendable {
    /// Reads rows in one snapshot, as a user may see them.
    ///
    /// - Parameters:
    ///   - principal: `nil` for a program without a user, which sees what is everyone's.
    ///   - isOneStatement: Whether the work reads by one statement, which is a snapshot by itself.
    ///   - work: Runs on the connection's thread.
    func readRows<Answer: Sendable>(
        for principal: Principal?, isOneStatement: Bool,
        _ work: @escaping @Sendable (RowReader) throws -> Answer
    ) async throws -> Answer
    /// Writes rows in one transaction, as a user may.
    ///
    /// - Parameters:
    ///   - principal: `nil` for a program without a user.
    ///   - name: Names the request. One that was carried out before is not carried out again, and
    ///     gets the answer of then.
    ///   - work: What to write. It runs on the connection's thread, more than once where others
    ///     are in the way.
    ///   - answer: Makes the answer from what became of each write. It is stored with them.
    func writeRows(
        for principal: Principal?, once name: RequestName?,
        _ work: @escaping @Sendable (RowSchema) throws -> RowBatch,
        answer: @escaping @Sendable (RowSchema, [RowResult]) throws -> [UInt8]
    ) async throws -> [UInt8]
}

extension RowHub {
    package func readRows<Answer: Sendable>(
        for principal: Principal?, _ work: @escaping @Sendable (RowReader) throws -> Answer
    ) async throws -> Answer {
        try await readRows(for: principal, isOneStatement: false, work)
    }
}

extension Hub: RowHub {
    package func readRows<Answer: Sendable>(
        for principal: Principal?, isOneStatement: Bool,
        _ work: @escaping @Sendable (RowReader) throws -> Answer
    ) async throws -> Answer {
        try await access { [states, configuration, logger] connection in
            try Self.translating {
                let state = try states.state(connection)
                let settings = configuration.scopes
                let visible = try VisibleScopesReader(connection: connection, settings: settings)
                    .read(for: principal).all
                let reader = RowReader(
                    schema: RowSchema(
                        state.attached, UserRights(configuration, of: principal)),
                    connection: connection, settings: settings, visible: visible,
                    detailsReader: SchemaDetailsReader(
                        configuration: configuration, logger: logger))
                return try connection.readingRows(settings, isOneStatement) { try work(reader) }
            }
        }
    }

    package func writeRows(
        for principal: Principal?, once name: RequestName?,
        _ work: @escaping @Sendable (RowSchema) throws -> RowBatch,
        answer: @escaping @Sendable (RowSchema, [RowResult]) throws -> [UInt8]
    ) async throws -> [UInt8] {
        let written = try await access { connection in
            try Self.translating {
                let state = try self.states.state(connection)
                let visible = try VisibleScopesReader(
                    connection: connection, settings: self.configuration.scopes
                ).read(for: principal).all
                return try RowWriting(
                    connection: connection, state: state, configuration: self.configuration,
                    handlers: self.handlers, principal: principal, visible: visible,
                    makeID: self.makeID, keys: self.rowKeys
                ).run(once: name, work, answer: answer)
            }
        }
        feed.poke()
        return written
    }
}

extension CentralConnection {
    /// Reads in one snapshot in which the scopes of all rows are derived.
    fileprivate func readingRows<Result>(
        _ settings: ScopeSettings, _ isOneStatement: Bool, _ work: () throws -> Result
    ) throws -> Result {
        func read(_ opening: () throws -> Void) throws -> Result {
            try opening()
            defer { rollback() }
            return try work()
        }
        guard !settings.rules.isEmpty else {
            return isOneStatement ? try work() : try read { try begin(.snapshot) }
        }
        // As before a page: rows without a number may have left a scope.
        try numberChanges()
        return try withMovesResolved { try read { _ = try openSnapshot() } }
    }
}
