/// What `moorage doctor` asks this database alone.
public protocol CentralDoctor: AnyObject {
    /// Finds what prevents syncing these tables, or will prevent it, as far as only this database
    /// knows. Each finding has the SQL that fixes it, in words that the owner's own client takes
    /// (docs/doctor.md). Inside a snapshot: it only reads. What the role may not look at is a
    /// finding, not an error (``CentralConnection/examining(_:repair:_:)``).
    func examine(_ examination: Examination) throws -> [Finding]
}
