public import GRDB
public import MoorageCore
import SQLiteSupport

/// What a replica knows of one row, for lists that show it beside the row.
///
/// A table that was listed with `rowStates: true` has a table of states, `_moorage_state_` and the
/// table's name at the hub. It joins with the app's own in SQL, as an association of GRDB and in a
/// `ValueObservation`:
///
/// ```swift
/// struct OrderLine: Decodable, FetchableRecord { var order: Order, rowState: RowState? }
/// let lines = Order.annotated(with: Order.rowState(key: ["order_id"])).asRequest(of: OrderLine.self)
/// ```
///
/// A row without an entry is ``synced``. If several states apply, the first of these counts:
/// refused, pending, in flight, overruled, deferred, withheld.
public enum RowState: Hashable, Sendable {
    /// The row is as the hub sent it, as far as this device knows.
    case synced
    /// A local change waits to be sent.
    case pending
    /// A local change was sent, and its answer is not here yet.
    case inFlight
    /// A change of the row is in ``Replica/refusedChanges``.
    case refused(Refusal.Code)
    /// A change of the row lost a conflict: it is in ``Replica/overruledChanges``.
    case overruled
    /// The hub has a newer row, whose unique value another local row still has.
    case deferred
    /// The hub has a value that this device cannot store: it is in ``Replica/withheldValues``.
    case withheld
}

extension RowState: RawRepresentable, DatabaseValueConvertible, Codable {
    /// The state as the table of states has it. A refusal has its code behind a colon.
    public var rawValue: String {
        switch self {
        case .synced: "synced"
        case .pending: "pending"
        case .inFlight: "inFlight"
        case .refused(let code): Self.refusedPrefix + code.rawValue
        case .overruled: "overruled"
        case .deferred: "deferred"
        case .withheld: "withheld"
        }
    }

    /// - Parameter rawValue: The text that a table of states has.
    /// - Returns: `nil` for a text that no table of states has.
    public init?(rawValue: String) {
        switch rawValue {
        case "synced": self = .synced
        case "pending": self = .pending
        case "inFlight": self = .inFlight
        case "overruled": self = .overruled
        case "deferred": self = .deferred
        case "withheld": self = .withheld
        default:
            guard rawValue.hasPrefix(Self.refusedPrefix) else { return nil }
            let code = rawValue.dropFirst(Self.refusedPrefix.count)
            self = .refused(Refusal.Code(rawValue: String(code)))
        }
    }

    static let refusedPrefix = "refused:"
}

extension GRDB.TableRecord {
    /// The state of a record's row, as the column `rowState` of a request. It is NULL for a row that
    /// is synced. While all rows of the table are, no row is looked up.
    ///
    /// The record's `databaseTableName` is the name that the table has at the hub.
    ///
    /// - Parameter columns: The columns of the table's primary key, in the key's order.
    public static func rowState(key columns: [String]) -> any SQLSelectable {
        let states = SQLText.name(TrackedTable.stateTable(of: Identifier(databaseTableName)))
        // GRDB writes a column without its table, and the table of states has names of its own. So
        // these are renamed before the column is looked up.
        let found: SQL
        if columns.contains(where: Self.isRowNumber) {
            let keys = columns.enumerated().map { place, column -> SQL in
                "\(Column(column)) AS \(sql: "_moorage_k\(place)")"
            }
            let isRow = columns.indices.map { "s.k\($0) = r._moorage_k\($0)" }
            found = """
                SELECT s.state FROM (SELECT \(keys.joined(separator: ", "))) AS r \
                JOIN \(sql: states) AS s ON \(sql: isRow.joined(separator: " AND "))
                """
        } else {
            let keys = columns.indices.map { "k\($0) AS _moorage_k\($0)" }
            let isRow = columns.enumerated().map { place, column -> SQL in
                "\(sql: "_moorage_k\(place)") = \(Column(column))"
            }
            found = """
                SELECT _moorage_state FROM (SELECT state AS _moorage_state, \
                \(sql: keys.joined(separator: ", ")) FROM \(sql: states)) \
                WHERE \(isRow.joined(separator: " AND "))
                """
        }
        let state: SQL = """
            CASE WHEN EXISTS (SELECT 1 FROM \(sql: states)) THEN (\(found)) END
            """
        return state.forKey("rowState")
    }

    /// Whether SQLite takes the name for the number of a row of any table.
    private static func isRowNumber(_ name: String) -> Bool {
        ["rowid", "oid", "_rowid_"].contains { SQLText.isSameName($0, name) }
    }

    /// The state of a record's row, as an association: to filter rows by their state, or to join.
    /// Its columns are those of the table of states. For a long list, ``rowState(key:)`` is faster.
    ///
    /// The record's `databaseTableName` is the name that the table has at the hub.
    ///
    /// - Parameter columns: The columns of the table's primary key, in the key's order.
    public static func hasRowState(key columns: [String]) -> HasOneAssociation<Self, RowState> {
        hasOne(
            Table<RowState>(TrackedTable.stateTable(of: Identifier(databaseTableName))),
            key: "rowState",
            using: GRDB.ForeignKey(columns.indices.map { "k\($0)" }, to: columns)
        )
        .select(Column("state").forKey("rowState"))
    }
}
