import MoorageCore

/// The hub's own reasons to try a transaction again, or to undo a write.
extension CentralError {
    static func refused(_ refusal: Refusal) -> CentralError {
        CentralError(.refused(refusal), refusal.message)
    }

    /// A write succeeded, but a trigger or rule of the owner's left the row out of it.
    public static func leftOut(of table: String) -> CentralError {
        refused(Refusal.leftOut(of: table))
    }

    static let replicaRegisteredMeanwhile = CentralError(
        .conflict, "Another exchange registered the replica at the same moment.")

    static let requestedMeanwhile = CentralError(
        .conflict, "Another request of the same name was carried out at the same moment.")

    static let scopeGrantedMeanwhile = CentralError(
        .conflict, "Another exchange granted the replica the scope just now.")

    static func keyTakenMeanwhile(in table: String) -> CentralError {
        CentralError(.conflict, "Another transaction took the new key of \(table) meanwhile.")
    }

    static let invalidCheckpoint = CentralError(
        .invalidCheckpoint, "The checkpoint has another form than those of this hub.")
}
