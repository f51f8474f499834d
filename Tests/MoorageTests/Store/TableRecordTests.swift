import GRDB
import MoorageCore
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `What the file remembers of a table` {
    /// GRDB has a protocol of the same name.
    private typealias Record = Moorage.TableRecord

    private static let columns =
        """
        repair, unconfirmed, unread, suspended_code, suspended, hub_suspended, tracked,
        hub_suspended_code, stale
        """

    private func device() throws -> Device { try Shop.device() }

    private func change(_ device: Device, _ body: @escaping (inout Record) -> Void) throws {
        try device.queue.write { try TableRecords(db: $0).change(Identifier("customer"), body) }
    }

    private func record(_ device: Device) throws -> Record {
        try device.queue.read {
            try #require(try TableRecords(db: $0).record(of: Identifier("customer")))
        }
    }

    private func stored(_ device: Device) throws -> [String] {
        try device.texts("SELECT \(Self.columns) FROM _moorage_table WHERE name = 'customer'")
    }

    @Test func `is stored as released versions store it`() throws {
        let device = try device()
        #expect(try stored(device) == ["0|∅|∅|∅|∅|∅|1|∅|∅"])
        try change(device) {
            $0.state = CopyState(unconfirmed: .list, repair: .dueOnStaleRows)
            $0.unreadColumns = ["a", "b"]
            $0.staleColumns = ["b"]
            $0.suspension = .init(code: "keyMismatch", reason: "the key is another")
            $0.hubSuspension = .init(code: "clientTooOld", reason: "no such table")
        }
        #expect(
            try stored(device) == [
                #"2|list|["a","b"]|keyMismatch|the key is another|no such table|1|clientTooOld|["b"]"#
            ])
        try change(device) { $0.state = CopyState(unconfirmed: .drop, repair: .due) }
        #expect(try stored(device).first?.hasPrefix("1|drop|") == true)
    }

    @Test func `is read as released versions stored it`() throws {
        let device = try device()
        try device.run(
            """
            UPDATE _moorage_table SET repair = 2, unconfirmed = 'drop', unread = '["a"]',
              stale = '["a"]', suspended_code = 'keyMismatch', suspended = 'reason', hub_suspended = 'at the hub'
            """)
        let record = try record(device)
        #expect(record.state == CopyState(unconfirmed: .drop, repair: .dueOnStaleRows))
        #expect(record.unreadColumns == ["a"])
        #expect(record.staleColumns == ["a"])
        #expect(record.suspension?.code == "keyMismatch")
        #expect(record.suspension?.reason == "reason")
        #expect(record.hubSuspension?.reason == "at the hub")
        // A build that knew no codes stored none.
        #expect(record.hubSuspension?.code == "tableSuspended")
        #expect(record.hadTriggers)
    }

    /// With a wrong word, the device could drop rows that it has to list.
    @Test func `is damaged where it has a word that nobody knows`() throws {
        let device = try device()
        try device.run("UPDATE _moorage_table SET unconfirmed = 'keep' WHERE name = 'customer'")
        let error = #expect(throws: ReplicaError.self) { try record(device) }
        #expect(error?.code == .metadataDamaged)
    }

    @Test(arguments: [
        "", "{}", "[1]", "[[]]", #"[["a"]]"#, #"[["a","",0]]"#, #"[["a",null,null]]"#,
    ])
    func `is damaged where its columns cannot be read`(layout: String) throws {
        let device = try device()
        try device.run("UPDATE _moorage_table SET layout = ? WHERE name = 'customer'", [layout])
        let error = #expect(throws: ReplicaError.self) { try record(device) }
        #expect(error?.code == .metadataDamaged)
    }

    @Test func `has the columns as they were last seen`() throws {
        let device = try device()
        let layout = "SELECT layout FROM _moorage_table WHERE name = 'orders'"
        let first = #"[["id","INTEGER","id"],["customer","TEXT","customer"],"#
        let last = #"["freight","NUMERIC","freight"],["note","TEXT","note"],["draft","TEXT",null]]"#
        #expect(try device.texts(layout) == [first + last])
        try device.run("ALTER TABLE orders RENAME COLUMN draft TO sketch")
        try device.open()
        let renamed = last.replacing(
            #"["draft","TEXT",null]"#, with: #"["sketch","TEXT",null,"draft"]"#)
        #expect(try device.texts(layout) == [first + renamed])
    }

    /// The two names are equal in `String`, but not in SQLite.
    @Test func `changes to a name of other bytes`() throws {
        let device = try device()
        try change(device) { $0.columns = ["caf\u{E9}"] }
        try change(device) { $0.columns = ["cafe\u{301}"] }
        let columns = try #require(try record(device).columns?.first)
        #expect(Array(columns.utf8) == Array("cafe\u{301}".utf8))
    }

    @Test func `goes from state to state`() {
        func after(
            _ unconfirmed: UnconfirmedRows?, _ repair: TableRepair,
            _ event: (inout CopyState) -> Void
        ) -> CopyState {
            var state = CopyState(unconfirmed: unconfirmed, repair: repair)
            event(&state)
            return state
        }
        func state(_ unconfirmed: UnconfirmedRows?, _ repair: TableRepair) -> CopyState {
            CopyState(unconfirmed: unconfirmed, repair: repair)
        }
        #expect(after(nil, .none) { $0.resume() } == state(.drop, .none))
        #expect(after(.list, .due) { $0.resume() } == state(.list, .dueOnStaleRows))
        #expect(after(.drop, .none) { $0.restart() } == state(.list, .none))
        #expect(after(nil, .due) { $0.restart() } == state(.list, .dueOnStaleRows))
        #expect(after(nil, .none) { $0.loseTriggers(onStaleRows: false) } == state(nil, .due))
        #expect(
            after(.drop, .none) { $0.loseTriggers(onStaleRows: true) }
                == state(.list, .dueOnStaleRows))
        #expect(after(nil, .none) { $0.becomeReceived() } == state(.list, .none))
        #expect(after(nil, .due) { $0.finishRepair() } == state(nil, .none))
        #expect(after(nil, .dueOnStaleRows) { $0.finishRepair() } == state(.list, .none))
        #expect(after(.list, .due) { $0.finishCopy() } == state(nil, .due))
    }
}
