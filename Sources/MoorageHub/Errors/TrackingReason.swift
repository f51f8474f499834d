/// Why a table is not tracked any more: full sentences, which ``SuspensionReason`` completes with
/// what to do.
public enum TrackingReason {
    /// A trigger is gone, on a database that cannot switch one off.
    public static func triggerMissing(_ trigger: String, on table: String) -> String {
        "Moorage's trigger \(trigger) is missing on \(table)."
    }

    /// For a database that can switch a trigger off.
    public static func triggerMissingOrOff(_ trigger: String, on table: String) -> String {
        "Moorage's trigger \(trigger) is missing on \(table), or does not fire."
    }

    /// The owner gave a key column a type with longer keys than the tracking table can store.
    public static func keyOutgrown(of table: String) -> String {
        "The key of \(table) can be larger now than Moorage's own tables allow."
    }
}
