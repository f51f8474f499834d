import MoorageCore

/// The times of a log.
extension LogReading {
    /// Keeps the edits of a replica in their order, even if the clock was set back.
    func keepTimesInOrder() throws {
        var checked = try TableRecords.checkedTimes(of: table.name, statements)
        let statement = try statements.own(
            "SELECT seq, at FROM \(log) WHERE seq > ?1 ORDER BY seq")
        try statement.bind([.integer(checked.seq ?? .min)])
        var late: [(seq: Int64, at: DeviceTime)] = []
        while try statement.step() {
            guard case .value(.integer(let next)) = statement.column(0),
                case .value(.integer(let milliseconds)) = statement.column(1)
            else { continue }
            checked.seq = next
            let time = DeviceTime(milliseconds: milliseconds)
            if time < checked.at { late.append((next, checked.at)) }
            checked.at = max(checked.at, time)
        }
        for entry in late {
            try statements("UPDATE \(log) SET at = ?2 WHERE seq = ?1")
                .run([.integer(entry.seq), .time(entry.at)])
        }
        try TableRecords.keep(checked, of: table.name, statements)
    }
}
