import Foundation
import GRDB
import MoorageCore
import MoorageTesting
import MoorageWire

@testable import Moorage

/// A device in memory that tests drive step by step, without tasks, threads or a clock.
final class Device {
    let queue: DatabaseQueue
    let store: ReplicaStore
    var now: DeviceTime = 1_000
    private let replica: String
    private let disk: SimulatedDisk?
    private var nonce = 0

    /// - Parameters:
    ///   - disk: Has the file's clock and randomness; `nil` for the machine's.
    ///   - compactedFrom: How many new entries make a log worth compacting.
    init(
        _ sql: String, tables: [ReplicaTable], configuration: Configuration = Configuration(),
        replica: String = "00000000-0000-4000-8000-000000000001", on disk: SimulatedDisk? = nil,
        compactedFrom: Int64? = nil
    ) throws {
        self.replica = replica
        self.disk = disk
        queue =
            if let disk {
                try disk.memory(configuration: configuration)
            } else {
                try DatabaseQueue(configuration: configuration)
            }
        var store = ReplicaStore(tables: tables)
        if let compactedFrom { store.compactedFrom = compactedFrom }
        self.store = store
        try queue.write { try $0.execute(sql: sql) }
        try open()
    }

    func open() throws {
        try queue.writeWithoutTransaction {
            try store.open($0, newID: replica)
        }
    }

    func adopt(_ schema: SchemaDescription, hub: String = "hub-1") throws {
        try queue.writeWithoutTransaction { try store.adopt($0, hub: hub, schema: schema) }
    }

    func run(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
        tick()
        try queue.write { try $0.execute(sql: sql, arguments: arguments) }
    }

    /// Moves its disk's clock, so that what follows is later.
    func tick() { disk?.clock += 1 }

    func texts(_ sql: String) throws -> [String] {
        try queue.read { db in
            try Row.fetchAll(db, sql: sql).map { row in
                row.databaseValues.map { $0.isNull ? "∅" : "\($0.storage.value ?? "")" }
                    .joined(separator: "|")
            }
        }
    }

    func prepare(_ limits: BatchLimits = BatchLimits()) throws -> StoredBatch? {
        nonce += 1
        return try queue.writeWithoutTransaction {
            try store.prepareBatch($0, limits: limits, now: now, nonce: "nonce-\(nonce)")
        }
    }

    /// Compacts the logs, as a device does with a long log while a batch is in flight.
    func compact() throws {
        try queue.writeWithoutTransaction { db in
            try store.transaction(db) { transaction in
                for table in transaction.tables.synced {
                    let reading = LogReading(table: table, statements: transaction.statements)
                    try LogCompaction(reading: reading).run()
                }
            }
        }
    }

    func changes() throws -> [Change] { try prepare()?.batch.changes ?? [] }

    /// The folded log as texts: `table key operation`.
    func localChanges() throws -> [String] { try changes().map(Self.text) }

    static func text(_ change: Change) -> String {
        let key = change.key.values.map(Self.text).joined(separator: ",")
        let operation =
            switch change.operation {
            case .insert(let row): "insert " + row.map(Self.text).joined(separator: ",")
            case .update(let edits):
                "update "
                    + edits.map {
                        "\($0.column):\(Self.text($0.old))>\(Self.text($0.new))"
                            + ($0.isFill ? " fill" : "")
                    }
                    .joined(separator: ",")
            case .delete(let row): "delete " + row.map(Self.text).joined(separator: ",")
            case .refetch: "refetch"
            }
        return "\(change.table) \(key) \(operation)" + (change.isAgain ? " again" : "")
    }

    static func text(_ value: Value) -> String {
        switch value {
        case .null: "∅"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text
        case .blob(let bytes): "x\(bytes.count)"
        }
    }

    /// Runs one exchange with a hub that answers at once.
    @discardableResult
    func exchange(
        _ hub: FakeHub, rows: Int = 5000, pages: Int = 100, duringExchange: () throws -> Void = {}
    ) throws -> ApplyResult {
        _ = try prepare()
        let request = try queue.writeWithoutTransaction {
            try store.request(
                $0, now: now, limits: PageLimits(maximumRows: rows, maximumPages: pages)
            ).request
        }
        let frames = try hub.answer(request)
        try duringExchange()
        var outcomes: Outcomes?
        var last = ApplyResult()
        for frame in frames {
            switch frame {
            case .outcomes(let answer): outcomes = answer
            case .page(let page):
                last = try queue.writeWithoutTransaction {
                    try store.apply(
                        $0, outcomes: outcomes, page: page, at: ExchangeTime(now))
                }
                outcomes = nil
            case .welcome, .alive, .end: break
            case .error(let error): throw error
            }
        }
        return last
    }
}

extension ColumnDescription {
    static func column(_ name: String, _ type: ColumnType, notNull: Bool = false)
        -> ColumnDescription
    {
        ColumnDescription(name: name, type: type, isNullable: !notNull)
    }
}
