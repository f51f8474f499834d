import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub

/// A device whose table changes at the centre, and what it received meanwhile.
///
/// `@unchecked Sendable`: the counts are used only inside the lock.
final class LoadDevice: @unchecked Sendable {
    let name: String
    /// The areas that its user may see.
    let areas: ClosedRange<Int>
    /// The key of the row that only this device writes.
    let key: Int
    let file: DatabaseQueue
    private let replica: Replica
    private let lock = NSLock()
    private var received = 0
    private var failures: [String: Int] = [:]

    /// Clones a device into memory.
    init(number: Int, areas: ClosedRange<Int>, hub: Hub) async throws {
        let name = "device \(number)"
        let file = try DatabaseQueue()
        self.name = name
        self.areas = areas
        self.file = file
        key = -number
        let user = Principal(subject: name, claims: ["area": areas.map(String.init)])
        replica = try await Replica.clone(
            into: file, from: .direct(hub.connection(for: user)), tables: ["big"])
    }

    /// Syncs again and again, with a pause in between, until the work is over. The hub may refuse a
    /// sync while the table changes.
    func keepSyncing(until isOver: @Sendable () -> Bool) async {
        while !isOver(), !Task.isCancelled {
            do { try await syncOnce() } catch {
                let code = (error as? ReplicaError)?.code.rawValue ?? "\(error)"
                lock.withLock { failures[code, default: 0] += 1 }
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    private func syncOnce() async throws {
        let summary = try await replica.sync()
        lock.withLock { received += summary.rowsReceived }
    }

    /// Syncs until nothing is missing and nothing waits to be pushed.
    func catchUp() async throws {
        for _ in 0..<20 {
            try await syncOnce()
            if replica.status.isCaughtUp { return }
        }
    }

    /// Writes a text into the row that only this device writes.
    func write(_ text: String) throws {
        try file.write {
            try $0.execute(
                sql: "UPDATE big SET body = ? WHERE id = ?", arguments: [text, key])
        }
    }

    /// Takes the counts, which begin again.
    func takeCounts() -> (received: Int, failures: [String: Int]) {
        lock.withLock {
            defer { (received, failures) = (0, [:]) }
            return (received, failures)
        }
    }

    /// What is not as at the centre, or not in order.
    ///
    /// - Parameter sums: The central sums by area.
    func problems(_ sums: [String: [String]]) async throws -> [String] {
        var problems: [String] = []
        let own = try await file.read {
            try Row.fetchAll($0, sql: AlterLoad.sums).map { $0.databaseValues.map(\.ownerText) }
        }
        let mine = Dictionary(uniqueKeysWithValues: own.map { ($0[0], $0) })
        for area in areas.map(String.init) where mine[area] != sums[area] {
            problems.append(
                "\(name): area \(area) is \(mine[area] ?? []), at the centre \(sums[area] ?? [])")
        }
        let others = Set(mine.keys).subtracting(areas.map(String.init))
        if !others.isEmpty { problems.append("\(name) has rows of areas \(others.sorted())") }
        let status = replica.status
        if !status.isCaughtUp { problems.append("\(name) has not caught up") }
        for table in status.suspendedTables {
            problems.append("\(name): \(table.name) is suspended: \(table.reason)")
        }
        for change in try await replica.refusedChanges.fetch() {
            problems.append("\(name): \(change.kind) of \(change.key.values) \(change.message)")
        }
        for change in try await replica.overruledChanges.fetch() {
            problems.append("\(name): \(change.kind) of \(change.key.values) was overruled")
        }
        return problems
    }
}
