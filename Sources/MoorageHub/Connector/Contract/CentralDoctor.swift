/// What `moorage doctor` asks a connector about its own kind of database.
public protocol CentralDoctor: AnyObject {
    /// Finds what prevents syncing these tables, or will prevent it, as far as only this database
    /// knows. Each finding has the SQL that fixes it, in the syntax of the owner's own client
    /// (docs/reference/doctor.md). Call it inside a snapshot: it only reads. What the role may not
    /// read is a finding, not an error (``CentralConnection/examining(_:repair:_:)``).
    func examine(_ examination: Examination) throws -> [Finding]
}
