import GRDB
import MoorageSQLite
import MoorageTesting
import MoorageWire

@testable import Moorage

/// A moment in a replica's life, and its next steps of one transaction each.
struct DiskStage {
    enum Kind: CaseIterable, Sendable {
        case opening, editing, preparing, applying, forking, reconciling
    }

    typealias Step = (DiskBench) throws -> Void

    let state: DiskBench.State
    let steps: [Step]
    /// What the file contains before the steps, and after each step.
    let dumps: [String]
    /// The rows on both sides at the end.
    let expected: [String]

    static let edits = """
        INSERT INTO customer VALUES('c', 'c@x', 'Cleo');
        INSERT INTO orders VALUES(3, 'c', 'third', 'a draft');
        INSERT INTO line VALUES(3, 1, 1);
        UPDATE orders SET note = 'edited' WHERE id = 1;
        DELETE FROM line WHERE orders = 1 AND number = 2;
        """

    static let office = """
        UPDATE customer SET name = 'Berta' WHERE id = 'b';
        DELETE FROM orders WHERE id = 2;
        INSERT INTO orders VALUES(7, 'a', 'by telephone');
        """

    /// Records the steps on a bench without faults.
    init(_ kind: Kind, on bench: DiskBench) throws {
        steps = try Self.prepare(kind, bench)
        try bench.reopen()
        state = bench.state()
        var dumps = [try bench.dump()]
        for step in steps {
            try step(bench)
            dumps.append(try bench.dump())
        }
        self.dumps = dumps
        try bench.converge()
        expected = try bench.rowsAtHub()
    }

    private static func edit(_ sql: String) -> Step {
        { bench in try bench.queue.write { try $0.execute(sql: sql) } }
    }

    private static func prepare(_ kind: Kind, _ bench: DiskBench) throws -> [Step] {
        let id = "00000000-0000-4000-8000-00000000ffff"
        if kind == .opening {
            return [{ bench in try bench.write { try bench.store.open($0, newID: id) } }]
        }
        try bench.openReplica()
        try bench.converge()
        if kind == .editing { return [edit(edits)] }
        try edit(edits)(bench)
        switch kind {
        case .opening, .editing: return []
        case .preparing: return [{ try $0.prepare(nonce: "nonce") }]
        case .applying: break
        case .forking:
            // The hub takes a batch that the restored file does not know.
            let backup = bench.disk.snapshot()
            try bench.exchange()
            try bench.restore(device: backup)
            try edit("UPDATE orders SET note = 'after the restore' WHERE id = 4")(bench)
        case .reconciling:
            try bench.exchange()
            try edit("UPDATE orders SET note = 'meanwhile' WHERE id = 4")(bench)
            try bench.attach(newEpoch: true)
        }
        try bench.central.execute(office)
        try bench.prepare(nonce: "nonce")
        let request = try bench.request()
        var exchange = Exchange(request)
        let effects = try bench.answer(request).map { try exchange.received($0) }
        return effects.filter { $0 != .none }.map { effect in
            { bench in try bench.carryOut(effect, newID: id) }
        }
    }
}
