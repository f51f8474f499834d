import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

/// A connection to the hub that loses requests and answers. The seed decides which ones.
private actor LossyWay: HubConnection {
    private let hub: Hub
    private var random: SeededGenerator

    init(_ hub: Hub, seed: UInt64) {
        self.hub = hub
        random = SeededGenerator(seed: seed)
    }

    nonisolated func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        let fate = await draw()
        if fate == 0 { throw HubError(.unreachable, "Lost on the way.") }
        try await hub.exchange(request) { (frame: Frame) async throws in
            // The hub has taken the batch, but its answer is lost.
            if fate == 1, case .outcomes = frame { throw HubError(.unreachable, "Lost.") }
            try await receive(frame)
        }
    }

    private func draw() -> Int { random.below(4) }

    nonisolated func schema() async throws -> SchemaAnswer { try await hub.schema() }

    nonisolated func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await hub.compare(request)
    }
}

@Suite(.ownThreads) struct `A counter that all devices add to` {
    private static let schema = [
        "CREATE TABLE counter (id INTEGER NOT NULL PRIMARY KEY, total INTEGER, amount DECIMAL(20,2))",
        "INSERT INTO counter VALUES (1, 1000, 0.10)",
    ]

    private static let configuration = HubConfiguration(rules: [
        "counter": TableRules(columns: ["total": .add, "amount": .add])
    ])

    private static func add(_ count: Int, on device: Device) throws {
        let one = "UPDATE counter SET total = total + 1, amount = amount + 0.01;"
        try device.execute(String(repeating: one, count: count))
    }

    /// Syncs until an exchange succeeds. However often it is sent, each increment must count once.
    private static func sync(_ device: Device) async throws {
        for attempt in 1... {
            do {
                try await device.replica.sync()
                return
            } catch {
                if attempt == 200 { throw error }
            }
        }
    }

    private static func isTotal(_ increments: Int, _ world: World) throws -> Bool {
        let amount = try world.centre.text("SELECT amount FROM counter") ?? ""
        return try world.centre.text("SELECT total FROM counter") == "\(1000 + increments)"
            && ColumnType.decimal.equal(.text(amount), .text("\(10 + increments)e-2"))
    }

    @Test(arguments: CentreKind.available)
    func `is exact, whatever gets lost on the way`(kind: CentreKind) async throws {
        let devices = trials(5, nightly: 50)
        try await World.run(kind, schema: Self.schema, configuration: Self.configuration) { world in
            var all: [Device] = []
            for number in 0..<devices {
                let device = try await world.clone("D\(number)")
                let way = LossyWay(world.hub, seed: UInt64(number))
                all.append(try await world.reopen(device, link: .direct(way)))
            }
            // Each device adds 100 in four rounds and syncs after two of them.
            for round in 0..<4 {
                for (number, device) in all.enumerated() {
                    try Self.add(25, on: device)
                    if (number + round).isMultiple(of: 2) { try await Self.sync(device) }
                }
            }
            for _ in 0..<2 { for device in all { try await Self.sync(device) } }
            #expect(try Self.isTotal(devices * 100, world))
            for device in all {
                #expect(
                    try device.text("SELECT total FROM counter") == "\(1000 + devices * 100)")
            }
            #expect(try await world.conflicts() == [])
        }
    }

    @Test(arguments: CentreKind.available)
    func `never counts twice what a restored file offers again, and logs it`(
        kind: CentreKind
    ) async throws {
        try await World.run(kind, schema: Self.schema, configuration: Self.configuration) { world in
            let a = try await world.clone("A")
            try Self.add(10, on: a)
            try await a.replica.sync()
            try Self.add(7, on: a)
            let backup = try DatabaseQueue(path: world.folder.path("backup.db"))
            try a.file.backup(to: backup)
            try Self.add(3, on: a)
            try await a.replica.sync()
            #expect(try Self.isTotal(20, world))

            // In the backup, 7 increments are not yet sent.
            let names = ["counter"]
            let replica = try await Replica(
                database: backup, hub: world.link, tables: names.map { .table($0) })
            let restored = Device(name: "R", file: backup, replica: replica)
            try await Self.sync(restored)
            try await Self.sync(restored)
            #expect(try Self.isTotal(20, world))
            #expect(try restored.text("SELECT total FROM counter") == "1020")
            let record = try #require(try await world.hub.conflicts().first)
            #expect(record.rule == "add")
            #expect(record.base?.contains("\"total\":1010") == true)
            #expect(record.mine?.contains("\"total\":1017") == true)

            // New increments count.
            try Self.add(5, on: restored)
            try await Self.sync(restored)
            #expect(try Self.isTotal(25, world))
            #expect(try await world.hub.conflicts().count == 1)
        }
    }
}
