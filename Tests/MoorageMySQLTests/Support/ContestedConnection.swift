import MoorageCore
import MoorageHub
import MoorageTesting

/// A connection on which a test decides what a push meets when it locks its rows.
final class ContestedConnection: ForwardingConnection {
    private let contest: Contest

    init(_ base: any CentralConnection, _ contest: Contest) {
        self.contest = contest
        super.init(base)
    }

    override func lockRows(_ table: AttachedTable, keys: [RowKey]) throws -> [RowKey: CentralRow] {
        do {
            try contest.begin(table, on: base)
            return try super.lockRows(table, keys: keys)
        } catch let error as CentralError where error.kind == .conflict {
            try contest.lose()
            throw error
        }
    }
}

/// The tries of one push, whichever connections they go over.
///
/// `@unchecked Sendable`: one exchange uses it at a time, and the test reads it after that.
final class Contest: @unchecked Sendable {
    /// How often rows were to be locked.
    private(set) var tries = 0
    /// How often they were not, because others were in the way.
    private(set) var conflicts = 0
    private let beforeTry: (Int, AttachedTable, any CentralConnection) throws -> Void
    private let afterConflict: (Int) throws -> Void

    /// - Parameters:
    ///   - afterConflict: Gets the conflict's number, from 1.
    ///   - beforeTry: Gets the try's number, from 1, its table and its connection. What it throws,
    ///     the try throws.
    init(
        afterConflict: @escaping (Int) throws -> Void = { _ in },
        beforeTry: @escaping (Int, AttachedTable, any CentralConnection) throws -> Void = {
            _, _, _ in
        }
    ) {
        self.afterConflict = afterConflict
        self.beforeTry = beforeTry
    }

    fileprivate func begin(_ table: AttachedTable, on connection: any CentralConnection) throws {
        tries += 1
        try beforeTry(tries, table, connection)
    }

    fileprivate func lose() throws {
        conflicts += 1
        try afterConflict(conflicts)
    }
}
