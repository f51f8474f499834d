package import MoorageCore

/// One part of the hub's answer to an exchange. The order is `welcome`, `outcomes` when a batch was
/// pushed, pages, `end`. An `error` ends the answer at any place. In a live stream more pages come
/// after the one that has caught up, and `alive` when no page comes for a while.
package enum Frame: Hashable, Sendable {
    case welcome(Welcome)
    case outcomes(Outcomes)
    case page(Page)
    case alive(Alive)
    case end(End)
    case error(HubError)
}

/// The first frame of every answer.
package struct Welcome: Hashable, Sendable {
    /// The hub's identity, made at the first attach.
    package let hub: String
    package let epoch: Epoch
    /// When the request came in.
    package let time: HubTime
    package let schemaVersion: String
    /// Present when the replica named another version.
    package let schema: SchemaDescription?
    /// The cursor is older than the deletions that the hub still remembers. The replica reads
    /// everything from the beginning. `end` follows at once.
    package let isExpired: Bool
    /// Tables that are suspended, with the reason and what fixes it.
    package let suspended: [SuspendedTable]
    package let limits: HubLimits
    /// Keys that no other replica gets, for rows that the replica inserts.
    package let keys: [KeyBlock]
    /// A digest of the user. The replica keeps it and sends it back. `nil` without a user.
    package let user: String?
    /// How the answer stays open once the replica has caught up; `nil` for an answer that ends.
    package let live: LiveTerms?
    /// What the user may write; present when the replica named another version.
    package var rights: RightsAnswer?
    /// The requested scopes that the user may not see, or that do not exist. Which of the two, the
    /// hub does not tell.
    package var unavailable: [Scope] = []
    /// The oldest version of the app that the hub accepts; `nil` for any.
    package var minimumClientVersion: String?
    /// The central database has every change that its hub answered until then, and may not remember
    /// what was deleted until then. Present for a replica that knows another epoch, where the
    /// owner copied the rows into another database.
    package var copiedAt: HubTime?

    package init(
        hub: String, epoch: Epoch, time: HubTime, schemaVersion: String, schema: SchemaDescription?,
        isExpired: Bool = false, suspended: [SuspendedTable], limits: HubLimits,
        keys: [KeyBlock] = [], user: String? = nil, live: LiveTerms? = nil
    ) {
        self.hub = hub
        self.epoch = epoch
        self.time = time
        self.schemaVersion = schemaVersion
        self.schema = schema
        self.isExpired = isExpired
        self.suspended = suspended
        self.limits = limits
        self.keys = keys
        self.user = user
        self.live = live
    }
}

/// Integer keys of a table that one replica may give to its rows.
package struct KeyBlock: Hashable, Sendable {
    package let table: String
    package let first: Int64
    /// Not before `first`.
    package let last: Int64

    package init(table: String, keys: ClosedRange<Int64>) {
        self.table = table
        first = keys.lowerBound
        last = keys.upperBound
    }
}

/// A table that the hub does not sync at the moment.
public struct SuspendedTable: Hashable, Sendable {
    /// The table's name in the central database.
    public let name: String
    /// Why the hub does not sync it, and what to do: full sentences for a person.
    public let reason: String
    /// The same for programs: `clientTooOld` where the app is too old for the table, otherwise
    /// `tableSuspended`. Later versions may have more codes.
    public let code: HubError.Code

    /// - Parameters:
    ///   - name: The table's name in the central database.
    ///   - reason: Full sentences that name tables and columns, never values.
    ///   - code: The reason for programs.
    public init(name: String, reason: String, code: HubError.Code = .tableSuspended) {
        self.name = name
        self.reason = reason
        self.code = code
    }
}

/// What the hub takes at most.
public struct HubLimits: Hashable, Sendable {
    /// Changes in one batch.
    public var maximumBatchRows: Int
    /// Bytes of one batch. A single change may exceed it.
    public var maximumBatchBytes: Int
    /// Bytes of one value.
    public var maximumValueBytes: Int

    /// Limits with the defaults of `moorage.yaml`.
    public init(
        maximumBatchRows: Int = 10_000, maximumBatchBytes: Int = 8_000_000,
        maximumValueBytes: Int = 16_000_000
    ) {
        self.maximumBatchRows = maximumBatchRows
        self.maximumBatchBytes = maximumBatchBytes
        self.maximumValueBytes = maximumValueBytes
    }
}

/// The answer to a batch.
package struct Outcomes: Hashable, Sendable {
    package enum Status: String, Hashable, Sendable {
        /// The hub took the batch now.
        case applied
        /// The hub had taken the batch before: an answer was lost. The hub did nothing again.
        case alreadyApplied
        /// Another file uses this replica's name: take a new one and offer the changes again.
        case forked
        /// The hub cannot take the batch as it is cut or formed: unprepare it and prepare it again.
        case notAccepted = "notTaken"
    }

    package let number: Int64
    package let status: Status
    /// One for each change, in the batch's order; empty unless the batch was taken.
    package let outcomes: [Outcome]

    package init(number: Int64, status: Status, outcomes: [Outcome]) {
        self.number = number
        self.status = status
        self.outcomes = outcomes
    }
}

/// Central rows and removals, read in one snapshot.
package struct Page: Hashable, Sendable {
    /// The cursor that the page continues. At any other cursor the page is dropped (C1).
    package let since: SyncCursor
    /// The cursor to save with the page.
    package let cursor: SyncCursor
    /// Whether the replica now has a state that the central database really had.
    package let isCaughtUp: Bool
    /// In foreign-key order.
    package let tables: [TableRows]
    /// In reverse foreign-key order.
    package let removals: [TableKeys]
    /// Rows that changed, but that a device cannot store: it keeps what it has.
    package let withheld: [WithheldRow]
    /// About how many rows the scan still has to bring; on its first page only.
    package let expectedRows: Int?
    /// The same by table, in foreign-key order. A table that the scan brings no row of is missing.
    /// A hub of an earlier version names none.
    package let expectedTables: [ExpectedTable]

    package init(
        since: SyncCursor, cursor: SyncCursor, isCaughtUp: Bool, tables: [TableRows],
        removals: [TableKeys], withheld: [WithheldRow] = [], expectedRows: Int? = nil,
        expectedTables: [ExpectedTable] = []
    ) {
        self.since = since
        self.cursor = cursor
        self.isCaughtUp = isCaughtUp
        self.tables = tables
        self.removals = removals
        self.withheld = withheld
        self.expectedRows = expectedRows
        self.expectedTables = expectedTables
    }
}

/// About how many rows of a table a scan brings.
package struct ExpectedTable: Hashable, Sendable {
    package let table: String
    package let rows: Int

    package init(table: String, rows: Int) {
        self.table = table
        self.rows = rows
    }
}

/// Rows of one table, each with one value for each column named.
package struct TableRows: Hashable, Sendable {
    package let table: String
    package let columns: [String]
    /// The rows column by column, as they were read and as they travel.
    package let content: RowColumns

    package init(table: String, columns: [String], content: RowColumns) {
        self.table = table
        self.columns = columns
        self.content = content
    }

    /// - Precondition: Each row has one value for each column.
    package init(table: String, columns: [String], rows: [[Value]]) {
        self.init(
            table: table, columns: columns,
            content: RowColumns(rows, columnCount: columns.count))
    }

    /// The rows one by one: for messages of a few rows.
    package var rows: [[Value]] { content.rows }
}

package struct TableKeys: Hashable, Sendable {
    package let table: String
    package let keys: [RowKey]

    package init(table: String, keys: [RowKey]) {
        self.table = table
        self.keys = keys
    }
}

/// A row with a value that the device cannot store.
package struct WithheldRow: Hashable, Sendable {
    package let row: RowName
    package let column: String
    package let reason: String

    package init(row: RowName, column: String, reason: String) {
        self.row = row
        self.column = column
        self.reason = reason
    }
}

/// The last frame of a successful answer.
package struct End: Hashable, Sendable {
    /// The pull stopped at a limit: exchange again to continue.
    package let hasMore: Bool
    /// How long to wait before the next exchange; `nil` when it need not wait.
    package let wait: Duration?

    package init(hasMore: Bool, wait: Duration? = nil) {
        self.hasMore = hasMore
        self.wait = wait
    }
}
