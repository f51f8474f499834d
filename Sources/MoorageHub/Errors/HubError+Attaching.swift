import MoorageWire

/// What Moorage's own tables lack, and what an attach refuses.
extension HubError {
    static let descriptionMissing = HubError(
        .internalError,
        """
        A row of Moorage's own table moorage_table describes no table. Please report this, \
        unless another program changed that row.
        """)

    static let scopePathsMissing = HubError(
        .internalError,
        """
        A row of Moorage's own table moorage_scope describes no scopes. Please report this, \
        unless another program changed that row.
        """)

    static let notAttached = HubError(
        .notAttached,
        "Nothing was attached to this database yet. Run `moorage attach` on it first.")

    /// - Parameters:
    ///   - format: The format of the database's tables.
    ///   - oldest: The oldest format that this program accepts.
    static func attachedByOlderVersion(format: Int, oldest: Int) -> HubError {
        HubError(
            .notAttached,
            """
            An older version of Moorage attached the central database (format \(format), this one \
            needs \(oldest)). Run `moorage attach` on it again. That loses nothing.
            """)
    }

    static let noRequestTable = HubError(
        .notAttached,
        """
        The central database has no table for requests with an idempotency key: an older version \
        attached it. Run `moorage attach` on it again.
        """)

    static let cursorSecretMissing = HubError(
        .notAttached,
        """
        The central database lacks the secret that signs the cursors of its replicas. Run \
        `moorage attach` on it again. It makes another secret, and replicas with scopes start \
        over.
        """)

    /// - Parameters:
    ///   - format: The format of the database's tables.
    ///   - newest: The newest format that this program knows.
    static func attachedByNewerVersion(format: Int, newest: Int) -> HubError {
        HubError(
            .metadataTooNew,
            """
            A newer version of Moorage attached the central database (format \(format), this one \
            knows \(newest)). Update this program. Nothing changed.
            """)
    }

    /// - Parameters:
    ///   - own: The id of the hub as which the database is attached.
    ///   - hub: The id that it should take over.
    static func attachedAsOtherHub(_ own: String, not hub: String) -> HubError {
        HubError(
            .differentHub,
            """
            The central database is attached as the hub \(own), not as \(hub). Name another \
            database, or run `moorage detach` on this one first, if no replica syncs with it. \
            Nothing changed.
            """)
    }

    /// - Parameter hub: The hub's id.
    static func attachedAsThisHub(_ hub: String) -> HubError {
        HubError(
            .configuration,
            """
            The central database is attached as the hub \(hub) already, and is no new copy. After a \
            restore run `moorage attach --new-epoch`. Before another copy of the rows run \
            `moorage detach`. Nothing changed.
            """)
    }

    /// - Parameter text: What was given for the id.
    static func noHubID(_ text: String) -> HubError {
        HubError(
            .configuration,
            """
            \(text.prefix(64)) is not the id of a hub: that is a UUID in lower case, which \
            `moorage restore-check` prints for the old database. Nothing changed.
            """)
    }

    /// - Parameter reason: A full sentence, with what would fix it.
    static func tableUnsupported(_ reason: String) -> HubError {
        HubError(.tableUnsupported, reason)
    }

    static func noSuchTable(_ table: String) -> HubError {
        HubError(
            .unknownTable,
            """
            The central database has no table \(table). Correct the name, or leave it out. Nothing \
            changed.
            """)
    }

    /// The configuration has no scopes for a table that was attached with scopes.
    static func scopesLeftOut(of table: String) -> HubError {
        HubError(
            .configuration,
            """
            The rows of \(table) are in scopes, and the configuration has no scopes for them. \
            Every replica would get all of these rows. Add the scopes to the configuration, or run \
            `moorage attach --unscope`. Nothing changed.
            """)
    }

    // MARK: Tables without a primary key

    /// The configuration names a key for a table that has another primary key.
    static func keyBesidePrimaryKey(
        _ key: [String], of table: String, primaryKey: [String]
    ) -> HubError {
        HubError(
            .configuration,
            """
            The configuration has the key (\(list(key))) for \(table), whose primary key is \
            (\(list(primaryKey))). A table with a primary key is synced by it. Remove `key` from \
            the configuration. Nothing changed.
            """)
    }

    /// - Parameter others: The columns of the unique keys that can be the table's key.
    static func keyNotUnique(
        _ key: [String], of table: String, others: [[String]]
    ) -> HubError {
        let choice =
            others.isEmpty
            ? ""
            : " These can be its key: \(others.map { "(\(list($0)))" }.joined(separator: ", "))."
        return HubError(
            .configuration,
            """
            The configuration has the key (\(list(key))) for \(table), and the table has no unique \
            key of these columns, each of them NOT NULL and of a type that a key can have.\
            \(choice) Make the columns NOT NULL and run CREATE UNIQUE INDEX \
            \(([table] + key).joined(separator: "_")) ON \(table) (\(list(key))). Nothing changed.
            """)
    }

    /// An attach was asked to add a key to a table that has one.
    static func keyNotNeeded(by table: String, key: [String]) -> HubError {
        HubError(
            .configuration,
            """
            The table \(table) needs no other key: (\(list(key))) can be its key. Leave out \
            `--add-key \(table)`. A unique key also needs `key` in the configuration. Nothing \
            changed.
            """)
    }

    static func addedKeyTaken(in table: String) -> HubError {
        HubError(
            .configuration,
            """
            The table \(table) has a column \(KeylessTable.addedKey) that no attach added. Rename \
            it, or make it a unique key that is NOT NULL and name it as `key` in the \
            configuration. Nothing changed.
            """)
    }

    static func addedKeyOfUnsyncedTable(_ table: String) -> HubError {
        HubError(
            .configuration,
            """
            A key was to be added to \(table), which is not among the tables to sync. Name the \
            table there too, or leave out `--add-key \(table)`. Nothing changed.
            """)
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
