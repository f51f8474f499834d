import MoorageCore
import MoorageWire

/// Finds out what replicas need of the schema, from their last reports.
///
/// It reads the reports some at a time, because each may have a long list of tables.
struct SchemaUsageReader {
    let connection: any CentralConnection
    let configuration: HubConfiguration
    /// In milliseconds. A replica that was not seen for longer does not count.
    let time: Int64

    private var directory: ReplicaDirectory { ReplicaDirectory(connection: connection) }
    private var attached: [TableDescription] {
        get throws {
            try Metadata(connection: connection).tables().map {
                $0.description.named(by: configuration)
            }
        }
    }

    func usage() throws -> SchemaUsage {
        var versions: [VersionName: SchemaUsage.Version] = [:]
        var tables = try attached.map {
            TableTally($0.filtered(by: configuration.columns[$0.name]))
        }
        let counts = try forEach { replica, requested in
            let report = replica.report
            let name = VersionName(app: report?.appVersion, schema: report?.schemaVersion)
            var version =
                versions[name]
                ?? SchemaUsage.Version(appVersion: name.app, schemaVersion: name.schema)
            version.replicaCount += 1
            version.lastSeenAt = max(version.lastSeenAt, replica.seenAt)
            version.pendingCount = Self.sum(version.pendingCount, report?.pendingCount ?? 0)
            versions[name] = version
            guard let requested else { return }
            for place in tables.indices { tables[place].count(requested) }
        }
        return SchemaUsage(
            counts: counts, versions: versions.values.sorted { $0.isBefore($1) },
            tables: tables.map(\.table))
    }

    /// A replica may have a table or column by any of its names in apps. If one of these names is
    /// asked for, only the replicas that use it count.
    ///
    /// - Parameters:
    ///   - column: `nil` for the whole table.
    ///   - limit: How many replicas to list at most.
    /// - Throws: ``HubError`` `unknownTable` or `unknownColumn` where neither the hub nor a replica
    ///   syncs it.
    func check(table: String, column: String?, limit: Int) throws -> DropCheck {
        let description = try attached.first { $0.isKnown(as: table) }
        let names = description.map { $0.identifiers(for: table) } ?? [Identifier(table)]
        let columnNames = column.map { column in
            description?.identifiers(forColumn: column) ?? [Identifier(column)]
        }
        var isTableKnown = description != nil
        var isColumnKnown = column.map { description?.column(knownAs: $0) != nil } ?? true
        var needCount = 0
        var replicas: [DropCheck.Replica] = []
        let counts = try forEach { replica, requested in
            if let requested {
                isTableKnown = isTableKnown || requested.isNaming(names, nil)
                isColumnKnown = isColumnKnown || requested.isNaming(names, columnNames)
            }
            guard let need = Self.need(of: replica, requested, for: names, columnNames) else {
                return
            }
            needCount += 1
            if replicas.count < limit {
                replicas.append(DropCheck.Replica(summary: replica, need: need))
            }
        }
        guard isTableKnown else { throw HubError.tableNeverSynced(table) }
        if let column, !isColumnKnown { throw HubError.columnNeverSynced(column, of: table) }
        return DropCheck(counts: counts, needCount: needCount, replicas: replicas)
    }

    private static func need(
        of replica: ReplicaSummary, _ requested: ReportedTables?, for table: [Identifier],
        _ column: [Identifier]?
    ) -> DropCheck.Need? {
        guard let report = replica.report, let requested else { return .unknown }
        if requested.contains(table, column) { return .requested }
        // It asks for the table without the column.
        if table.contains(where: requested.names.contains) { return nil }
        if table.contains(where: report.isSuspending) { return .suspended }
        return report.suspendedTables.count < DeviceReport.maximumTables ? nil : .unknown
    }

    /// Goes through the replicas that count, the last seen first, with what each asks for.
    private func forEach(
        _ body: (ReplicaSummary, ReportedTables?) throws -> Void
    ) throws -> ReplicaCounts {
        var counts = ReplicaCounts(since: try connection.now() - time)
        let replicas = try directory.known().filter { replica in
            if replica.standing != .active {
                counts.refused += 1
            } else if replica.seenAt < counts.since {
                counts.away += 1
            } else {
                counts.counted += 1
                return true
            }
            return false
        }
        try directory.forEach(replicas) { replica, stored in
            let requested = stored?.tables
            if requested == nil { counts.unknown += 1 }
            try body(replica, requested)
        }
        return counts
    }

    /// Counts are claims of devices, and may be of any size.
    private static func sum(_ left: Int, _ right: Int) -> Int {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}

private struct VersionName: Hashable {
    let app: String?
    let schema: String?
}

/// Counts the replicas that ask for a table, and for each of its columns.
private struct TableTally {
    private let description: TableDescription
    private let names: [Identifier]
    private let columns: [[Identifier]]
    private var replicaCount = 0
    private var lackingCounts: [Int]

    init(_ description: TableDescription) {
        self.description = description
        names = description.identifiers(for: description.name)
        columns = description.columns.map { column in column.names.map { Identifier($0) } }
        lackingCounts = columns.map { _ in 0 }
    }

    mutating func count(_ requested: ReportedTables) {
        guard requested.contains(names, nil) else { return }
        replicaCount += 1
        for (place, column) in columns.enumerated() where !requested.contains(names, column) {
            lackingCounts[place] += 1
        }
    }

    var table: SchemaUsage.Table {
        SchemaUsage.Table(
            name: description.name, replicaCount: replicaCount,
            lackingColumns: zip(description.columns, lackingCounts).compactMap { column, count in
                count == 0
                    ? nil : SchemaUsage.LackingColumn(name: column.name, replicaCount: count)
            })
    }
}

extension TableDescription {
    /// All names by which replicas have the table. If the given one is only a name in apps, it is
    /// the only one.
    fileprivate func identifiers(for text: String) -> [Identifier] {
        (name.hasSameBytes(as: text) ? names : [text]).map { Identifier($0) }
    }

    /// The same for a column.
    fileprivate func identifiers(forColumn text: String) -> [Identifier] {
        (column(named: text).map { columns[$0].names } ?? [text]).map { Identifier($0) }
    }
}

extension SchemaUsage.Version {
    /// Newer versions come first, and texts without a number last.
    fileprivate func isBefore(_ other: Self) -> Bool {
        let pairs = [
            (appVersion ?? "", other.appVersion ?? ""),
            (schemaVersion ?? "", other.schemaVersion ?? ""),
        ]
        for (mine, its) in pairs where mine != its {
            switch (ClientVersion(mine), ClientVersion(its)) {
            case (let mine?, let its?) where mine != its: return its < mine
            case (_?, nil): return true
            case (nil, _?): return false
            default: return its.isEmpty || (!mine.isEmpty && mine < its)
            }
        }
        return false
    }
}

extension DeviceReport {
    /// A device cuts long names.
    fileprivate func isSuspending(_ table: Identifier) -> Bool {
        if table.text.utf8.count <= Self.maximumTextBytes {
            return suspendedTables.contains { table == $0 }
        }
        return suspendedTables.contains { table.text.utf8.starts(with: $0.utf8) }
    }
}
