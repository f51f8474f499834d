import GRDB
import Moorage
import MoorageCore
import MoorageWire

/// At rest what the system keeps for itself is bounded by what there is to keep.
struct BoundedMetadata {
    let simulation: Simulation

    func check() throws {
        for device in simulation.devices { try check(device) }
        try checkCentre()
    }

    private func check(_ device: SimulatedDevice) throws {
        let state = try device.state()
        guard state.pending == 0, state.inFlight.isEmpty, state.deferred == 0 else { return }
        let outdated = try device.outdatedTables(beside: simulation.centre)
        for table in device.tables where !outdated.contains(table) {
            for (what, rows) in [
                ("log", "\"_moorage_log_\(table)\""), ("changed", "\"_moorage_changed_\(table)\""),
                ("unconfirmed", "\"_moorage_unconfirmed_\(table)\""),
                ("undecided", undecided(table)),
            ] {
                let count = try device.write { try $0.rawRows("SELECT 1 FROM \(rows)").count }
                if count == 0 { continue }
                // Candidates that were not replaced stay until their keys are looked at. The foreign
                // keys of a withheld row are looked at until the device can take it.
                let rest =
                    what == "log"
                    ? simulation.history.steps.count : try device.withheldKeys(of: table).count
                if count <= rest { continue }
                throw Violation(
                    .boundedMetadata,
                    "device \(device.number): \(count) rows of \(what) of \(table) at rest")
            }
        }
        let guards = try device.write { try $0.rawRows("SELECT 1 FROM _moorage_applying").count }
        if guards > 0 {
            throw Violation(
                .boundedMetadata, "device \(device.number): the guard row is still there")
        }
        if !state.cursor.ahead.isEmpty {
            throw Violation(
                .boundedMetadata, "device \(device.number): rows ahead of a mark that caught up")
        }
    }

    /// What a column had before it was synced waits until the column is read. One that is not
    /// synced now may be synced again. Doubtful values wait for nothing else.
    private func undecided(_ table: String) -> String {
        """
        "_moorage_fill_\(table)" WHERE place < 0 OR place IN (
          SELECT place.key FROM _moorage_table AS t, json_each(t.places) AS place,
            json_each(t.columns) AS synced
          WHERE t.name = \(Value.text(table).literal) AND lower(place.value) = lower(synced.value))
        """
    }

    private func checkCentre() throws {
        let centre = simulation.centre
        // Where nobody syncs any more, nobody numbers, and nobody looks after rows that were replaced.
        if try simulation.devices.allSatisfy({ try $0.isOut(beside: centre) }) { return }
        for table in centre.tables {
            let scoped = try ScopedRows(centre).pairs(of: table)
            let counts = try centre.write { db -> (Int, Int, Int) in
                let track = try db.rawRows(
                    """
                    SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = '\(table)' \
                    AND name LIKE 'moorage\\_delete\\_%' ESCAPE '\\'
                    """
                ).first.flatMap { CentralAudit.text($0[0]) }
                guard let track else { return (0, 0, 0) }
                let name = "moorage_track_" + track.dropFirst("moorage_delete_".count)
                // A row is tracked in each of its scopes.
                let tracked = scoped ?? "SELECT 1 FROM \"\(table)\""
                let rows = try db.rawRows(tracked).count
                let live = try db.rawRows("SELECT 1 FROM \"\(name)\" WHERE live").count
                let unnumbered = try db.rawRows(
                    "SELECT 1 FROM \"\(name)\" WHERE version IS NULL"
                ).count
                return (rows, live, unnumbered)
            }
            if counts.0 != counts.1 || counts.2 != 0 {
                throw Violation(
                    .boundedMetadata,
                    "\(table): \(counts.0) rows in scopes, \(counts.1) live tracking rows, \(counts.2) without a number"
                )
            }
        }
    }
}
