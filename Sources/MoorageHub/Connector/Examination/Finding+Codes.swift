extension Finding.Code {
    // MARK: Whether it can work at all

    /// The hub's role, or the one that Moorage's triggers run as, lacks a right that attaching or
    /// serving needs.
    public static let missingPrivileges = Finding.Code(name: "missingPrivileges")
    /// The database takes no writes, or refuses them by default.
    public static let readOnly = Finding.Code(name: "readOnly")
    /// A table cannot be synced. The hub reports what ``CentralSchema/readTables()`` says.
    public static let tableUnsupported = Finding.Code(name: "tableUnsupported")
    /// The configuration does not fit the tables, or names a table that does not exist. The hub
    /// reports it.
    public static let configuration = Finding.Code(name: "configuration")

    // MARK: What was attached, and is not so any more

    /// Moorage's own tables do not exist yet. The hub reports it.
    public static let notAttached = Finding.Code(name: "notAttached")
    /// An older or newer version of Moorage attached the database, or its secret is gone. The hub
    /// reports it.
    public static let attachOutdated = Finding.Code(name: "attachOutdated")
    /// An attach of a table broke off, or is running. The hub reports it.
    public static let attachUnfinished = Finding.Code(name: "attachUnfinished")
    /// A table is not as it was attached, or has columns that are not synced yet. The hub reports
    /// it.
    public static let schemaChanged = Finding.Code(name: "schemaMoved")
    /// The configuration has other scopes than the attached ones. The hub reports it.
    public static let scopesChanged = Finding.Code(name: "scopesMoved")
    /// ``CentralMetadata/identity()`` is not the one that was attached. The hub reports it.
    public static let identityChanged = Finding.Code(name: "identityMoved")
    /// A trigger or function of Moorage's is missing, so changes go unnoticed; see ``OwnObject``.
    public static let ownTriggerMissing = Finding.Code(name: "ownTriggerMissing")
    /// A trigger of Moorage's does not fire; see ``OwnObject``.
    public static let ownTriggerDisabled = Finding.Code(name: "ownTriggerDisabled")
    /// A trigger or function of Moorage's differs from what an attach makes now; see
    /// ``OwnObject``.
    public static let ownTriggerAltered = Finding.Code(name: "ownTriggerAltered")
    /// A table or index of Moorage's is missing; see ``OwnObject``.
    public static let ownObjectMissing = Finding.Code(name: "ownObjectMissing")

    // MARK: Keys and indexes

    /// Devices that are offline may choose one integer key for different rows. The hub reports it.
    public static let integerKeyCollides = Finding.Code(name: "integerKeyCollides")
    /// The sequence of a key gives out keys that rows have; see ``KeyFact``.
    public static let sequenceBehind = Finding.Code(name: "sequenceBehind")
    /// More than half of the keys that a column's type allows are used; see ``KeyFact``.
    public static let keyRunsOut = Finding.Code(name: "keyRunsOut")
    /// Each delete of a parent row reads the whole table that refers to it; see ``IndexNeed``.
    public static let foreignKeyWithoutIndex = Finding.Code(name: "foreignKeyWithoutIndex")
    /// Columns that decide about scopes have no index; see ``IndexNeed``.
    public static let scopeWithoutIndex = Finding.Code(name: "scopeWithoutIndex")
    /// Rows of a table refer to rows that do not exist.
    public static let brokenReferences = Finding.Code(name: "brokenReferences")

    // MARK: What else goes on in the database

    /// A trigger or rule of the owner's changes the written row, or writes a synced table; see
    /// ``TriggerFact``.
    public static let triggerEchoes = Finding.Code(name: "triggerEchoes")
    /// A table has a FULLTEXT index, with which a bug of MariaDB can end the server.
    public static let fullTextIndex = Finding.Code(name: "fullTextIndex")
    /// An open or prepared transaction is older than ``Examination/longTransaction``.
    public static let longTransaction = Finding.Code(name: "longTransaction")

    // MARK: Settings

    /// A key or unique column calls texts equal that differ in their bytes.
    public static let keyCollation = Finding.Code(name: "keyCollation")
    /// The database, or a column, cannot store every character.
    public static let textEncoding = Finding.Code(name: "textEncoding")
    /// The server is not at UTC, and columns have times without a zone; see
    /// ``Examination/timeZoneFindings(zone:retype:)``.
    public static let timeZone = Finding.Code(name: "timeZone")
    /// The server silently cuts values of other programs to fit their columns.
    public static let notStrict = Finding.Code(name: "notStrict")
    /// The binary log contains statements, so the server refuses the hub's writes.
    public static let binaryLog = Finding.Code(name: "binaryLog")
    /// The server's packets have no room for a value of 16,000,000 bytes, the largest that a device
    /// sends.
    public static let smallPackets = Finding.Code(name: "smallPackets")
    /// A SQLite file has no write-ahead log, so readers and the writer wait for each other.
    public static let journalMode = Finding.Code(name: "journalMode")

    /// The doctor could not read what it examines.
    public static let notExamined = Finding.Code(name: "notExamined")

    /// Every code. The doctor lists findings of the same severity in this order.
    public static let all: [Finding.Code] = [
        .missingPrivileges, .readOnly, .tableUnsupported, .configuration,
        .notAttached, .attachOutdated, .attachUnfinished, .schemaChanged, .scopesChanged,
        .identityChanged,
        .ownTriggerMissing, .ownTriggerDisabled, .ownTriggerAltered, .ownObjectMissing,
        .integerKeyCollides, .sequenceBehind, .keyRunsOut, .foreignKeyWithoutIndex,
        .scopeWithoutIndex, .brokenReferences,
        .triggerEchoes, .fullTextIndex, .longTransaction,
        .keyCollation, .textEncoding, .timeZone, .notStrict, .binaryLog, .smallPackets,
        .journalMode, .notExamined,
    ]
}
