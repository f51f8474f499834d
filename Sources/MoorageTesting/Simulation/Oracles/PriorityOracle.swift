import GRDB
import Moorage
import MoorageCore
import MoorageWire

/// Checks that the rows of a scan arrive in the order of their priorities. When a page has come to
/// a priority, the device has all rows of the earlier ones that did not change since the scan
/// began.
struct PriorityOracle {
    private struct Begun {
        let scan: Scan
        let rows: TrackedRows
    }

    /// By device, the latest scan with priorities, and the central rows at its beginning.
    private var begun: [Int: Begun] = [:]

    /// The hub was restored: what it knew of scans is unknown here.
    mutating func forget() { begun = [:] }

    /// The hub has just made a page, whether or not it arrives.
    ///
    /// - Parameter priorities: Those that are not normal.
    mutating func made(
        _ page: Page, _ priorities: [Scope: ScopePriority], for device: SimulatedDevice,
        _ centre: SimulatedCentre
    ) throws {
        guard let scan = page.cursor.scan, !priorities.isEmpty,
            page.since.scan?.isSame(as: scan) != true
        else { return }
        begun[device.number] = Begun(scan: scan, rows: try TrackedRows(centre))
    }

    /// The device has applied a page.
    ///
    /// - Returns: Whether the page belongs to a scan with priorities.
    func check(
        _ page: Page, _ priorities: [Scope: ScopePriority], of request: ExchangeRequest,
        on device: SimulatedDevice, _ centre: SimulatedCentre
    ) throws -> Bool {
        guard let scan = page.cursor.scan, !priorities.isEmpty else { return false }
        func pass(_ scope: Scope) -> Int { (priorities[scope] ?? .normal).pass }
        guard let latest = begun[device.number], latest.scan.isSame(as: scan),
            let reached = scan.position.map({ pass($0.scope) })
        else { return true }
        let earlier = scan.scopes.filter { pass($0) < reached }
        if earlier.isEmpty { return true }
        let rows = latest.rows.unchanged(in: try TrackedRows(centre), of: earlier)
        let inFlight = Set(try device.state().inFlight)
        for table in request.tables.map(\.name) where centre.directions[table]?.isReceived ?? true {
            let expected = rows.filter { $0.table == table && !inFlight.contains($0) }
            if expected.isEmpty { continue }
            let here = Set(
                try device.keys(of: table) + device.changedKeys(of: table)
                    + device.withheldKeys(of: table) + device.deferredKeys(of: table))
            let missing = expected.map(\.key.values).filter { !here.contains($0) }
            guard let first = missing.map({ $0.jsonText() }).min() else { continue }
            throw Violation(
                .subscriptions,
                "device \(device.number) got a row of a later priority, and \(table) \(first) is not there yet"
            )
        }
        return true
    }
}

extension Scan {
    /// Whether both are one scan, at whatever position.
    fileprivate func isSame(as other: Scan) -> Bool {
        upperBound == other.upperBound && scopes == other.scopes && tables == other.tables
    }
}

/// The versions of the central rows that have one, by their scopes.
private struct TrackedRows {
    private var versions: [Scope: [RowName: Value]] = [:]

    init(_ centre: SimulatedCentre) throws {
        try centre.write { db in
            let tracking = try CentralSnapshot.trackingTables(db)
            for table in centre.tables {
                guard let name = tracking[table] else { continue }
                let keys = (centre.columns[table] ?? []).keys.indices.map { "k\($0)" }
                let rows = try db.rawRows(
                    """
                    SELECT scope, version, \(keys.joined(separator: ", ")) FROM "\(name)" \
                    WHERE live AND version IS NOT NULL
                    """)
                for row in rows {
                    guard let scope = CentralAudit.text(row[0]) else { continue }
                    let name = RowName(table: table, key: RowKey(Array(row.dropFirst(2))))
                    versions[Scope(scope), default: [:]][name] = row[1]
                }
            }
        }
    }

    /// The rows in some scopes that have the same versions later.
    func unchanged(in later: TrackedRows, of scopes: Set<Scope>) -> Set<RowName> {
        var names: Set<RowName> = []
        for scope in scopes {
            for (name, version) in versions[scope] ?? [:]
            where later.versions[scope]?[name] == version {
                names.insert(name)
            }
        }
        return names
    }
}
