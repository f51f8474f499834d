/// The app's own migrations.
extension ReplicaError {
    static let erasesPendingChanges = ReplicaError(
        .changesPending,
        """
        The app's migrations changed, so `eraseDatabaseOnSchemaChange` would erase the file, and \
        the file has changes that the hub does not have. Nothing changed. Sync with the migrations as they \
        were, or call `erase()` on the database yourself, and migrate again.
        """, recovery: .changeCall)
}
