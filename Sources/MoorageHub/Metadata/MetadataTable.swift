/// One of Moorage's own tables in the central database, described so that each connector can make
/// it in its own SQL.
public struct MetadataTable: Hashable, Sendable {
    /// What a column stores. A connector chooses its database's type for it.
    public enum ColumnKind: Hashable, Sendable {
        /// Text of at most 255 bytes, compared by bytes; never NULL.
        case name
        /// Text of any length; may be NULL.
        case text
        /// A 64-bit integer; may be NULL.
        case integer
    }

    /// A column of the table.
    public struct Column: Hashable, Sendable {
        /// The column's name, not quoted.
        public let name: String
        /// What it stores. A column of the primary key is never NULL, whatever its kind.
        public let kind: ColumnKind
    }

    /// The table's name, not quoted; it begins with `moorage_`.
    public let name: String
    /// The columns, in the order in which a connector declares them.
    public let columns: [Column]
    /// The names of the primary key's columns, in the key's order.
    public let primaryKey: [String]
    /// Integers, and texts of at most 255 bytes, by which its rows are found. Each has an index,
    /// ``indexName(_:)``.
    public let indexed: [String]

    private init(
        _ name: String, key: [String], indexed: [String] = [],
        _ columns: KeyValuePairs<String, ColumnKind>
    ) {
        self.name = name
        primaryKey = key
        self.indexed = indexed
        self.columns = columns.map { Column(name: $0.key, kind: $0.value) }
    }

    /// How the names of rows of `moorage_meta` begin that describe a table's columns.
    static let columns = "columns "
    /// Selects the other rows of `moorage_meta`. Those of columns may be many, and are not read
    /// with the facts.
    public static let isFact = "name NOT LIKE '\(columns)%'"

    /// The name of the index on one of the ``indexed`` columns, not quoted.
    public func indexName(_ column: String) -> String { "\(name)_\(column)" }

    /// Tables of earlier formats: an attach copies them, and a detach removes them.
    public static let formerNames = ["moorage_mark", "moorage_given"]

    /// Every table; a connector may add tables of its own clock.
    public static let all = [
        // Facts of the hub: its id, the epoch, the database's identity, the format of these tables.
        MetadataTable("moorage_meta", key: ["name"], ["name": .name, "value": .text]),
        // The tables that are tracked. `description` is a schema of one table, as on the wire.
        MetadataTable(
            "moorage_table", key: ["number"],
            ["number": .integer, "name": .text, "description": .text]),
        // How the rows of a table come into scopes, by the table's number, where not all are
        // everyone's.
        MetadataTable("moorage_scope", key: ["number"], ["number": .integer, "paths": .text]),
        // The scopes that a replica was granted: what it may have, and has to remove. Each with the
        // checkpoint of the grant, and the one at which the hub saw that its user had lost it.
        MetadataTable(
            "moorage_grant", key: ["replica", "scope"], indexed: ["subject"],
            [
                "replica": .name, "scope": .name, "subject": .text, "since": .text,
                "lost_at": .text,
            ]),
        // Whose a replica is, and whether it may still come: replicas with a user, and those that
        // somebody revoked.
        MetadataTable(
            "moorage_registration", key: ["replica"], indexed: ["subject"],
            [
                "replica": .name, "subject": .text, "standing": .text, "standing_at": .integer,
                "registered_at": .integer, "seen_at": .integer,
            ]),
        // What each replica last said of itself, as JSON.
        MetadataTable(
            "moorage_report", key: ["replica"], indexed: ["reported_at"],
            ["replica": .name, "report": .text, "reported_at": .integer]),
        // What is known of each replica: its last batch with nonce and outcomes, and when that was
        // prepared.
        MetadataTable(
            "moorage_replica", key: ["id"],
            [
                "id": .name, "last_batch": .integer, "last_nonce": .text, "outcomes": .text,
                "prepared_at": .integer, "registered_at": .integer, "seen_at": .integer,
            ]),
        // Checkpoints with their times: what the horizon of the retention is chosen from.
        MetadataTable(
            "moorage_checkpoint", key: ["position"],
            ["position": .integer, "checkpoint": .text, "at": .integer]),
        // Every batch that was taken, within the retention time.
        MetadataTable(
            "moorage_batch", key: ["replica", "number"], indexed: ["taken_at"],
            ["replica": .name, "number": .integer, "nonce": .text, "taken_at": .integer]),
        // The first key of a table that nobody was promised, by the table's name.
        MetadataTable(
            "moorage_key", key: ["table_name"], ["table_name": .name, "next_key": .integer]),
        // Rows that a replica with a priority wrote last, by table and key.
        MetadataTable(
            "moorage_priority", key: ["id"], indexed: ["changed_at"],
            ["id": .name, "priority": .integer, "changed_at": .integer]),
        // Requests of programs that are no replicas, each carried out once, with its answer.
        MetadataTable(
            "moorage_request", key: ["id"], indexed: ["requested_at"],
            [
                "id": .name, "replica": .text, "fingerprint": .text, "answer": .text,
                "requested_at": .integer,
            ]),
        // Values that lost, and changes that were refused.
        MetadataTable(
            "moorage_conflict", key: ["id"], indexed: ["logged_at"],
            [
                "id": .name, "replica": .text, "batch": .integer, "table_name": .text,
                "row_key": .text, "kind": .text, "rule": .text, "base": .text, "mine": .text,
                "theirs": .text, "result": .text, "reason_code": .text, "reason": .text,
                "edited_at": .integer, "logged_at": .integer,
            ]),
        // Who changed what, where an audit trail is kept; no values.
        MetadataTable(
            "moorage_audit", key: ["id"], indexed: ["at"],
            [
                "id": .name, "at": .integer, "subject": .text, "replica": .text,
                "batch": .integer, "table_name": .text, "row_key": .text, "operation": .text,
                "columns": .text, "outcome": .text,
            ]),
        // What somebody decided about a conflict afterwards, by its id.
        MetadataTable(
            "moorage_decision", key: ["id"],
            ["id": .name, "decision": .text, "decided_at": .integer]),
    ]
}
