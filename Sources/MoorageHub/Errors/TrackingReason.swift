/// Why a table is not tracked any more: full sentences, which ``SuspensionReason`` completes with
/// what to do.
package enum TrackingReason {
    package static func triggerMissing(_ trigger: String, on table: String) -> String {
        "Moorage's trigger \(trigger) is missing on \(table)."
    }

    /// For a database that can switch a trigger off.
    package static func triggerMissingOrOff(_ trigger: String, on table: String) -> String {
        "Moorage's trigger \(trigger) is missing on \(table), or does not fire."
    }

    package static func keyOutgrown(of table: String) -> String {
        "The key of \(table) can be larger now than Moorage's own tables allow."
    }
}
