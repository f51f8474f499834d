extension Finding.Code {
    // MARK: Whether it can work at all

    public static let missingPrivileges = Finding.Code(name: "missingPrivileges")
    public static let readOnly = Finding.Code(name: "readOnly")
    public static let tableUnsupported = Finding.Code(name: "tableUnsupported")
    public static let configuration = Finding.Code(name: "configuration")

    // MARK: What was attached, and is not so any more

    public static let notAttached = Finding.Code(name: "notAttached")
    public static let attachOutdated = Finding.Code(name: "attachOutdated")
    public static let attachUnfinished = Finding.Code(name: "attachUnfinished")
    public static let schemaChanged = Finding.Code(name: "schemaMoved")
    public static let scopesChanged = Finding.Code(name: "scopesMoved")
    public static let identityChanged = Finding.Code(name: "identityMoved")
    public static let ownTriggerMissing = Finding.Code(name: "ownTriggerMissing")
    public static let ownTriggerDisabled = Finding.Code(name: "ownTriggerDisabled")
    public static let ownTriggerAltered = Finding.Code(name: "ownTriggerAltered")
    public static let ownObjectMissing = Finding.Code(name: "ownObjectMissing")

    // MARK: Keys and indexes

    public static let integerKeyCollides = Finding.Code(name: "integerKeyCollides")
    public static let sequenceBehind = Finding.Code(name: "sequenceBehind")
    public static let keyRunsOut = Finding.Code(name: "keyRunsOut")
    public static let foreignKeyWithoutIndex = Finding.Code(name: "foreignKeyWithoutIndex")
    public static let scopeWithoutIndex = Finding.Code(name: "scopeWithoutIndex")
    public static let brokenReferences = Finding.Code(name: "brokenReferences")

    // MARK: What else goes on in the database

    public static let triggerEchoes = Finding.Code(name: "triggerEchoes")
    public static let fullTextIndex = Finding.Code(name: "fullTextIndex")
    public static let longTransaction = Finding.Code(name: "longTransaction")

    // MARK: Settings

    public static let keyCollation = Finding.Code(name: "keyCollation")
    public static let textEncoding = Finding.Code(name: "textEncoding")
    public static let timeZone = Finding.Code(name: "timeZone")
    public static let notStrict = Finding.Code(name: "notStrict")
    public static let binaryLog = Finding.Code(name: "binaryLog")
    public static let smallPackets = Finding.Code(name: "smallPackets")
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
