import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// Two devices inserted rows with the same key, and the hub keeps both: one of them gets another
/// key.
@Suite(.ownThreads) struct `Rows that get another key` {
    private func ready(
        _ directions: [String: TableDirection] = [:]
    ) throws -> (LawBench, Device, Device) {
        let bench = try LawBench(rule: .keepBoth, part: .newest, directions: directions)
        let (a, b) = (try bench.device(), try bench.device())
        for device in [a, b] { try device.exchange(bench.hub) }
        return (bench, a, b)
    }

    private func insert(_ word: String) -> String {
        "INSERT INTO item(id, a) VALUES('i', '\(word)'); INSERT INTO part VALUES('i', 1, '\(word)');"
    }

    /// Runs one exchange with a batch of at most `rows` rows. The user edits before the first
    /// frame.
    private func exchange(
        _ bench: LawBench, _ device: Device, rows: Int = 1000, editing sql: String = ""
    ) throws {
        _ = try device.prepare(BatchLimits(maximumRows: rows))
        var edited = false
        try device.exchange(bench.hub) {
            if !edited { try device.run(sql) }
            edited = true
        }
    }

    /// Items, and parts with their item's word. Words that match came from one device.
    private static let items = "SELECT a, count(*) FROM item GROUP BY a ORDER BY a"
    private static let parts = """
        SELECT item.a, note, number FROM part JOIN item ON item.id = part.item ORDER BY 1, 3
        """

    private func central(_ bench: LawBench, _ sql: String) throws -> [[Value]] {
        try bench.central.perform { try $0.run(sql, []) }
    }

    private func check(
        _ bench: LawBench, _ devices: [Device], items: [[Value]], parts: [[Value]],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for _ in 0..<2 { for device in devices { try device.exchange(bench.hub) } }
        #expect(try central(bench, Self.items) == items, sourceLocation: sourceLocation)
        #expect(try central(bench, Self.parts) == parts, sourceLocation: sourceLocation)
        for device in devices {
            #expect(try device.contents() == bench.contents(), sourceLocation: sourceLocation)
            #expect(try device.pending() == [], sourceLocation: sourceLocation)
        }
    }

    private func part(_ owner: String, _ note: String, _ number: Int64) -> [Value] {
        [.text(owner), .text(note), .integer(number)]
    }

    private let both: [[Value]] = [[.text("A"), .integer(1)], [.text("B"), .integer(1)]]

    @Test func `take rows along whose keys name them`() throws {
        let (bench, a, b) = try ready()
        try a.run(insert("A"))
        try b.run(insert("B"))
        try a.exchange(bench.hub)
        try b.exchange(bench.hub)
        try check(bench, [a, b], items: both, parts: [part("A", "A", 1), part("B", "B", 1)])
    }

    @Test func `take what a later batch brings`() throws {
        let (bench, a, b) = try ready()
        try a.run(insert("A"))
        try b.run(insert("B") + "INSERT INTO part VALUES('i', 2, 'B')")
        try b.run("INSERT INTO item(id, a, up) VALUES('j', 'below', 'i')")
        try a.exchange(bench.hub)
        for _ in 0..<4 { try exchange(bench, b, rows: 1) }
        try check(
            bench, [a, b], items: both + [[.text("below"), .integer(1)]],
            parts: [part("A", "A", 1), part("B", "B", 1), part("B", "B", 2)])
        let above = """
            SELECT above.a FROM item JOIN item AS above ON above.id = item.up WHERE item.id = 'j'
            """
        #expect(try central(bench, above) == [[.text("B")]])
    }

    @Test func `take what was edited meanwhile`() throws {
        let (bench, a, b) = try ready()
        try a.run(insert("A"))
        try b.run(insert("B"))
        try a.exchange(bench.hub)
        try exchange(
            bench, b,
            editing: """
                UPDATE item SET a = 'later', b = 5 WHERE id = 'i';
                UPDATE part SET note = 'later' WHERE item = 'i';
                INSERT INTO part VALUES('i', 2, 'more')
                """)
        try check(
            bench, [a, b], items: [[.text("A"), .integer(1)], [.text("later"), .integer(1)]],
            parts: [part("A", "A", 1), part("later", "later", 1), part("later", "more", 2)])
    }

    /// A restored hub hands out a key again. The device's old deletes of the row that had it, and
    /// of the rows below, must have no effect.
    @Test func `are not deleted with rows that had their keys before`() throws {
        func meet(_ bench: LawBench, _ a: Device, _ b: Device) throws {
            try a.run(insert("A"))
            try b.run(insert("B"))
            try a.exchange(bench.hub)
            for _ in 0..<6 { try exchange(bench, b, rows: 1) }
        }
        let (first, c, d) = try ready()
        try meet(first, c, d)
        let kept = try central(first, "SELECT id FROM item WHERE a = 'B'")
        guard case .text(let key) = try #require(kept.first?.first) else { return }

        let (bench, a, b) = try ready()
        try bench.central.execute(
            """
            INSERT INTO item(id, a) VALUES('\(key)', 'old');
            INSERT INTO part VALUES('\(key)', 1, 'old')
            """)
        try b.exchange(bench.hub)
        try b.run("DELETE FROM part WHERE item = '\(key)'; DELETE FROM item WHERE id = '\(key)'")
        try bench.central.execute(
            """
            DELETE FROM part; DELETE FROM item;
            DELETE FROM moorage_track_1_item; DELETE FROM moorage_track_2_part
            """)
        try meet(bench, a, b)
        try check(bench, [a, b], items: both, parts: [part("A", "A", 1), part("B", "B", 1)])
        #expect(try b.texts("SELECT code FROM _moorage_refused") == [])
    }

    @Test func `list under their new key what only the hub writes`() throws {
        let (bench, a, b) = try ready()
        var configuration = HubConfiguration(rules: ["item": TableRules(rule: .keepBoth)])
        configuration.columns = ["item": ColumnSettings(downOnly: ["b"])]
        let hub = Hub(database: bench.central, configuration: configuration)
        for device in [a, b] { try device.exchange(hub) }
        try a.run("INSERT INTO item(id, a) VALUES('i', 'A')")
        try b.run("INSERT INTO item(id, a, b) VALUES('i', 'B', 7)")
        try a.exchange(hub)
        _ = try b.prepare(BatchLimits(maximumRows: 1000))
        var edited = false
        try b.exchange(hub) {
            if !edited { try b.run("UPDATE item SET a = 'later' WHERE id = 'i'") }
            edited = true
        }
        try b.exchange(hub)
        #expect(try b.texts("SELECT a, b FROM item ORDER BY a") == ["A|∅", "later|∅"])
        #expect(try b.texts("SELECT code, after FROM _moorage_refused") == ["readOnly|[7]"])
    }

    @Test func `are the ones that go when they were deleted meanwhile`() throws {
        let (bench, a, b) = try ready()
        try a.run(insert("A"))
        try b.run(insert("B"))
        try a.exchange(bench.hub)
        try exchange(bench, b, editing: "DELETE FROM item WHERE id = 'i'")
        try check(bench, [a, b], items: [[.text("A"), .integer(1)]], parts: [part("A", "A", 1)])
    }

    /// The refused row never reached the hub, and still belongs below the rekeyed row.
    @Test func `take what was refused and mended meanwhile`() throws {
        let (bench, a, b) = try ready()
        try bench.central.execute(
            """
            CREATE TRIGGER no_bad BEFORE INSERT ON part WHEN NEW.note = 'bad'
            BEGIN SELECT RAISE(ABORT, 'bad'); END
            """)
        try a.run(insert("A"))
        try b.run(
            "INSERT INTO item(id, a) VALUES('i', 'B'); INSERT INTO part VALUES('i', 1, 'bad')")
        try a.exchange(bench.hub)
        try exchange(bench, b, editing: "UPDATE part SET note = 'good' WHERE item = 'i'")
        try check(bench, [a, b], items: both, parts: [part("A", "A", 1), part("B", "good", 1)])
    }

    /// Tables that only go up receive no page that could fix the keys.
    @Test func `have it on the device at once, where they are only sent`() throws {
        let (bench, a, b) = try ready(["item": .up, "part": .up])
        try a.run(insert("A"))
        try b.run(insert("B"))
        try a.exchange(bench.hub)
        try b.exchange(bench.hub)
        try b.run("UPDATE item SET b = 5; UPDATE part SET note = 'later'")
        try b.exchange(bench.hub)
        #expect(
            try central(bench, "SELECT a, b FROM item ORDER BY a")
                == [[.text("A"), .null], [.text("B"), .integer(5)]])
        #expect(try central(bench, Self.parts) == [part("A", "A", 1), part("B", "later", 1)])
    }

    @Test func `are one where two devices made the same`() throws {
        let (bench, a, b) = try ready()
        let c = try bench.device()
        try c.exchange(bench.hub)
        try a.run(insert("A"))
        try b.run(
            "INSERT INTO item(id, a) VALUES('i', 'same'); INSERT INTO part VALUES('i', 1, 'B')")
        try c.run(
            "INSERT INTO item(id, a) VALUES('i', 'same'); INSERT INTO part VALUES('i', 2, 'C')")
        for device in [a, b, c] { try device.exchange(bench.hub) }
        try check(
            bench, [a, b, c], items: [[.text("A"), .integer(1)], [.text("same"), .integer(1)]],
            parts: [part("A", "A", 1), part("same", "B", 1), part("same", "C", 2)])
    }

    /// The second device's part meets the first one's, below the row that both made.
    @Test func `keep what hangs below them where two devices made the same`() throws {
        let (bench, a, b) = try ready()
        let c = try bench.device()
        try c.exchange(bench.hub)
        try a.run(insert("A"))
        for device in [b, c] { try device.run(insert("same")) }
        for device in [a, b] { try device.exchange(bench.hub) }
        try exchange(bench, c, editing: "UPDATE part SET note = 'later'")
        try check(
            bench, [a, b, c], items: [[.text("A"), .integer(1)], [.text("same"), .integer(1)]],
            parts: [part("A", "A", 1), part("same", "later", 1)])
    }

    /// A restored file sends all of it again.
    @Test func `are known again when they are offered again`() throws {
        let (bench, a, b) = try ready()
        let backup = try bench.device()
        try backup.exchange(bench.hub)
        try a.run(insert("A"))
        for device in [b, backup] { try device.run(insert("B")) }
        for device in [a, b] { try device.exchange(bench.hub) }
        _ = try backup.prepare()
        try backup.queue.writeWithoutTransaction { try backup.store.fork($0, newID: "twin") }
        try check(
            bench, [a, b, backup], items: both, parts: [part("A", "A", 1), part("B", "B", 1)])
    }

    /// The app's trigger prevents a change of the key. The refused list has the later edits.
    @Test func `are listed where a local trigger holds their keys`() throws {
        let (bench, a, b) = try ready()
        try b.run(
            """
            CREATE TRIGGER fixed BEFORE UPDATE OF id ON item
            BEGIN SELECT RAISE(ABORT, 'fixed'); END
            """)
        try a.run(insert("A"))
        try b.run(insert("B"))
        try a.exchange(bench.hub)
        try exchange(bench, b, editing: "UPDATE item SET b = 5 WHERE id = 'i'")
        #expect(try b.texts("SELECT code, key FROM _moorage_refused") == [#"recovered|["i"]"#])
        try check(bench, [a, b], items: both, parts: [part("A", "A", 1), part("B", "B", 1)])
    }

    /// Each device edits only rows that it inserted, so rows that belong together come from one
    /// device. A delete also removes the rows that the device sees below. The hub refuses others'
    /// later edits of those, and the test does not check them.
    @Test(arguments: lawSeeds(10, nightly: 2_000))
    func `never mix what hangs below them`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (bench, a, b) = try ready()
        func edit(_ device: Device, _ name: String) throws {
            let id = "'i\(random.below(4))'"
            let own = "a LIKE '\(name)%'"
            let owned = "item IN (SELECT id FROM item WHERE \(own))"
            let word = "'\(name)\(random.below(1000))'"
            switch random.below(8) {
            case 0...2: try device.run("INSERT OR IGNORE INTO item(id, a) VALUES(\(id), \(word))")
            case 3, 4:
                try device.run(
                    """
                    INSERT OR IGNORE INTO part SELECT id, \(random.below(4)), \(word) FROM item
                    WHERE \(own) AND id >= \(id) ORDER BY id LIMIT 1
                    """)
            case 5:
                // Until the hub answers the device's row, parts of another device's row appear
                // below it.
                let mine = "\(owned) AND note LIKE '\(name)%'"
                try device.run("UPDATE part SET note = \(word) WHERE \(mine)")
            case 6: try device.run("UPDATE item SET a = \(word) WHERE \(own) AND id >= \(id)")
            default: try device.run("DELETE FROM item WHERE \(own) AND id = \(id)")
            }
        }
        for _ in 0..<30 {
            let (device, name) = random.once(in: 2) ? (a, "A") : (b, "B")
            if random.once(in: 3) {
                _ = try device.prepare(BatchLimits(maximumRows: random.below(4) + 1))
                try device.exchange(bench.hub) {
                    if random.once(in: 2) { try edit(device, name) }
                }
            } else {
                try edit(device, name)
            }
        }
        for _ in 0..<12 { for device in [a, b] { try device.exchange(bench.hub) } }
        let mixed = """
            SELECT item.id, item.a, note FROM part JOIN item ON item.id = part.item
            WHERE substr(item.a, 1, 1) <> substr(note, 1, 1)
            """
        #expect(try central(bench, mixed) == [])
        for device in [a, b] {
            #expect(try device.contents() == bench.contents())
            #expect(try device.pending() == [])
        }
    }
}
