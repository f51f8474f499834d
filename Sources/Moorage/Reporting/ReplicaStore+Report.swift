import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire

extension ReplicaStore {
    /// A report, and the state that it tells of; `nil` if a hub has welcomed the same already.
    ///
    /// Call it after the batch was prepared: what is still in the logs is to be sent later.
    ///
    /// - Parameter tables: What the request asks for.
    /// - Complexity: O(columns) without log entries, else O(columns + entries).
    func newReport(
        _ db: Database, of device: DeviceDescription, asking tables: [TableColumns]
    ) throws -> (report: DeviceReport, state: ReportedState)? {
        let memory = reports.withLock { $0 }
        let state = try reportedState(db, device, tables, memory)
        if state == memory.welcomed { return nil }
        let report = DeviceReport(
            name: device.name?.reported, appVersion: device.appVersion?.reported,
            libraryVersion: libraryVersion, platform: device.platform?.reported,
            schemaVersion: device.schemaVersion?.reported, pendingCount: state.pendingCount,
            refusedCount: state.refusedCount, overruledCount: state.overruledCount,
            oldestPendingAt: Self.hubTime(of: state.oldestPendingAt, memory.clockOffset),
            suspendedTables: state.suspendedTables, fileSize: try Self.fileSize(db),
            lastErrorCode: state.lastErrorCode, clockOffset: memory.clockOffset)
        return (report, state)
    }

    private func reportedState(
        _ db: Database, _ device: DeviceDescription, _ asked: [TableColumns],
        _ memory: ReportMemory
    ) throws -> ReportedState {
        let tables = try load(db)
        let statements = RawStatements(db, cache: statementCache)
        let pending = try pendingCounts(tables, statements)
        let lists = try reviewCounts(statements)
        var oldest: DeviceTime?
        if memory.clockOffset != nil {
            oldest = try oldestPending(tables, pending, statements)
        }
        let suspended = tables.suspensions.map { Identifier($0.name) }.sorted()
            .prefix(DeviceReport.maximumTables)
        return ReportedState(
            replica: try Metadata(db: db).replica(), device: device, tables: asked,
            pendingCount: pending.values.reduce(0, +), refusedCount: lists.refused,
            overruledCount: lists.overruled, oldestPendingAt: oldest,
            suspendedTables: suspended.map(\.text.reported), lastErrorCode: memory.lastErrorCode)
    }

    private func oldestPending(
        _ tables: LoadedTables, _ pending: [Identifier: Int], _ statements: RawStatements
    ) throws -> DeviceTime? {
        var times: [DeviceTime?] = []
        for table in tables.tracked where pending[table.name, default: 0] > 0 {
            times.append(try oldestPending(table, statements))
        }
        for suspended in tables.suspended
        where pending[suspended.table.name, default: 0] > 0 {
            times.append(
                try oldestPending(
                    suspended.table.tracked, hasRows: suspended.hasRows, statements))
        }
        return times.compactMap { $0 }.min()
    }

    private static func hubTime(of time: DeviceTime?, _ clockOffset: Int64?) -> HubTime? {
        guard let time, let clockOffset else { return nil }
        return HubTime(milliseconds: (time - clockOffset).milliseconds)
    }

    private static func fileSize(_ db: Database) throws -> Int64 {
        let count = try RawStatement.fixed(db, "PRAGMA page_count").firstInteger() ?? 0
        let size = try RawStatement.fixed(db, "PRAGMA page_size").firstInteger() ?? 0
        return count * size
    }

    // MARK: What a report needs to know of the exchanges

    /// A hub has welcomed a request, and has its report now.
    ///
    /// - Parameter state: What the request reported; `nil` if it had no report.
    func welcomed(_ state: ReportedState?, sentAt: DeviceTime, at time: HubTime) {
        reports.withLock { memory in
            if let state { memory.welcomed = state }
            memory.clockOffset = HubTime(milliseconds: sentAt.milliseconds)
                .milliseconds(since: time)
        }
    }

    /// A sync has ended.
    ///
    /// - Parameter error: The reason; `nil` if it succeeded.
    func syncEnded(with error: ReplicaError?) {
        reports.withLock { $0.lastErrorCode = error?.code.rawValue.reported }
    }
}
