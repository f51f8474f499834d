import GRDB
import Moorage
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

/// Files of devices that go back, or that two devices have: what either of them wrote is not lost,
/// and what was deleted stays away. At night each has twenty rounds.
@Suite(.ownThreads) struct `Drills of devices` {
    /// Two devices and the office have written. Then B has changes that the hub does not know yet,
    /// and its file is copied with them.
    private struct Stage: DrillStage {
        var ledger: DrillLedger
        let world: World
        let a: Device
        let b: Device
        /// A row that B had not sent when its file was copied.
        let unsent: String
        private let copy: DatabaseQueue

        init(_ world: World, _ seed: UInt64) async throws {
            var ledger = DrillLedger(seed: seed)
            try world.centre.execute(ledger.changes(by: "office"))
            a = try await world.clone("a")
            b = try await world.clone("b")
            for device in [a, b] { try device.execute(ledger.changes(by: device.name)) }
            try await world.converge(a, b)
            try b.execute(ledger.changes(by: "b"))
            unsent = try ledger.row(of: "b")
            copy = try DatabaseQueue(path: world.folder.path("copy.db"))
            try b.file.backup(to: copy)
            // Both files have the same unsent changes. Later ones would conflict with them.
            ledger.freeze()
            self.ledger = ledger
            self.world = world
        }

        /// Starts the app on the copy.
        func openCopy() async throws -> Device {
            try await world.reopen(Device(name: "copy", file: copy, replica: b.replica))
        }

        func problems(_ copy: Device) async throws -> [String] {
            try await world.differences(a, copy) + ledger.differences(from: world)
        }
    }

    @Test(arguments: CentreKind.available, lawSeeds(1, nightly: 20))
    func `a device restored from an old copy takes up what it had sent, and nothing comes back`(
        kind: CentreKind, seed: UInt64
    ) async throws {
        try await Stage.run(kind, seed) { stage in
            let b = stage.b
            try await b.replica.sync()
            // The old copy still has this row as a new one.
            try b.execute(stage.ledger.delete(stage.unsent) + stage.ledger.changes(by: "later"))
            try await b.replica.sync()
            // From here on B's file is the old copy.
            let restored = try await stage.openCopy()
            try restored.execute(stage.ledger.changes(by: "restored"))
            try await stage.world.converge(restored, stage.a)
            let problems = try await stage.problems(restored)
            #expect(problems == [])
        }
    }

    @Test(arguments: CentreKind.available, lawSeeds(1, nightly: 20))
    func `a file that a second device has goes on as two replicas`(
        kind: CentreKind, seed: UInt64
    ) async throws {
        try await Stage.run(kind, seed) { stage in
            let b = stage.b
            let copy = try await stage.openCopy()
            for round in 0..<3 {
                try b.execute(stage.ledger.changes(by: "original"))
                try copy.execute(stage.ledger.changes(by: "copy"))
                let both = round.isMultiple(of: 2) ? [b, copy] : [copy, b]
                for device in both { try await device.replica.sync() }
            }
            try await stage.world.converge(b, copy, stage.a)
            let problems = try await stage.world.differences(b) + stage.problems(copy)
            #expect(problems == [])
        }
    }

    @Test(arguments: CentreKind.available, lawSeeds(1, nightly: 20))
    func `an old phone that wakes up beside the new one brings what it had not sent`(
        kind: CentreKind, seed: UInt64
    ) async throws {
        try await Stage.run(kind, seed) { stage in
            let b = stage.b
            // The old phone is written on once more, and put into a drawer.
            try b.execute(stage.ledger.changes(by: "drawer"))
            let phone = try await stage.openCopy()
            for _ in 0..<2 {
                try phone.execute(stage.ledger.changes(by: "phone"))
                try await phone.replica.sync()
            }
            // The old phone has this row as a new one, too.
            try phone.execute(stage.ledger.delete(stage.unsent))
            try await stage.world.converge(phone, stage.a)
            try await b.replica.sync()
            try await stage.world.converge(b, phone, stage.a)
            let problems = try await stage.world.differences(b) + stage.problems(phone)
            #expect(problems == [])
        }
    }
}
