import Foundation
import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `Why a row is pending` {
    // MARK: The hub

    @Test func `is that nothing has sent it yet`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        try await shop.run("UPDATE orders SET note = 'n'")
        #expect(try await shop.reasons("orders", .integer(1)) == [.nextExchange])
        #expect(try await shop.reasons("line", .integer(1), .integer(1)) == [])
        #expect(try await shop.reasons("orders", .integer(99)) == [])
        try await shop.replica.sync()
        #expect(try await shop.reasons("orders", .integer(1)) == [])
    }

    @Test func `is asked of a table that the replica syncs`() async throws {
        let shop = try await DiagnosedShop()
        let error = await #expect(throws: ReplicaError.self) {
            try await shop.reasons("nothing", .integer(1))
        }
        #expect(error?.code == .noSuchTable)
    }

    @Test func `is that the replica has not met its hub`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.run("INSERT INTO orders(id, note) VALUES(5, 'n')")
        #expect(try await shop.reasons("orders", .integer(5)) == [.hubUnknown])
        #expect(try await shop.reasons("orders", .integer(6)) == [])
    }

    @Test func `is an answer that is not here, for what was sent and for what comes after it`()
        async throws
    {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        try await shop.run("UPDATE orders SET note = 'n'")
        let sent = shop.clock.now()
        try await shop.fail(.unreachable)
        try await shop.run("UPDATE line SET quantity = 7")
        let offline = PendingReason.offline(since: sent, code: "unreachable")
        #expect(
            try await shop.reasons("orders", .integer(1))
                == [.sent(batch: 1, at: sent), offline])
        #expect(
            try await shop.reasons("line", .integer(1), .integer(1))
                == [.behindBatch(1), offline])
        // Edited again, the row has the reasons of both changes.
        try await shop.run("UPDATE orders SET note = 'm'")
        #expect(
            try await shop.reasons("orders", .integer(1))
                == [.sent(batch: 1, at: sent), offline])
        try await shop.replica.sync()
        #expect(try await shop.reasons("orders", .integer(1)) == [])
    }

    @Test(arguments: [
        HubError.Code.busy, .unauthorized, .clientTooOld, .replicaRevoked, .internalError,
    ])
    func `is what the exchanges fail with, since the first of them`(
        code: HubError.Code
    ) async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        try await shop.run("INSERT INTO customer(id) VALUES('c')")
        // Nothing is sent: the hub answers no request at all.
        shop.clock.advance(.seconds(10))
        let since = shop.clock.now()
        for _ in 0..<3 {
            try await shop.fail(code)
            shop.clock.advance(.seconds(10))
        }
        let expected: PendingReason =
            switch code {
            case .busy: .offline(since: since, code: "busy")
            case .unauthorized: .signedOut(since: since)
            case .clientTooOld: .updateRequired(since: since)
            default: .failing(since: since, code: code.rawValue)
            }
        #expect(try await shop.reasons("customer", .text("c")).last == expected)
        // Another process reads the same in the file.
        let path = shop.path
        let found = try await shop.pool.read {
            try ReplicaInspection($0, path: path).row(RowKey([.text("c")]), of: "customer")
        }
        #expect(found.reasons.last == expected && found.state == .inFlight)
    }

    @Test func `is that the user may not make the change`() async throws {
        let shop = try await DiagnosedShop()
        shop.hub.rights = RightsAnswer(
            version: "v1",
            tables: [
                TableRightsAnswer(
                    table: "orders", insert: nil, update: .only(["note"]), mayDelete: true,
                    mayMove: true)
            ])
        try await shop.replica.sync()
        try await shop.run(
            """
            INSERT INTO orders(id) VALUES(5);
            UPDATE orders SET note = 'n' WHERE id = 1
            """)
        #expect(try await shop.reasons("orders", .integer(5)) == [.notAllowed])
        #expect(try await shop.reasons("orders", .integer(1)) == [.nextExchange])
        try await shop.run("UPDATE orders SET freight = 1 WHERE id = 1")
        #expect(try await shop.reasons("orders", .integer(1)) == [.notAllowed])
    }

    // MARK: Other rows

    private func reasons(
        _ replica: Replica, _ table: String, _ key: String
    ) async throws -> [PendingReason] {
        try await replica.pendingReasons(of: RowKey([.text(key)]), in: table)
    }

    @Test func `is a suspended table, and what needs its rows waits for them`() async throws {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        try await camp.moveOn(replica)
        let code = try #require(replica.status.suspendedTables.first).code
        try await file.run(
            """
            INSERT INTO site VALUES('s2', 'Cabin', 20);
            INSERT INTO note VALUES('n1', 's1', 'free'), ('n2', 's2', 'at the cabin');
            INSERT INTO tag VALUES('t2', 'n2')
            """)
        #expect(try await reasons(replica, "site", "s2") == [.tableSuspended(code: code)])
        #expect(try await reasons(replica, "note", "n1") == [.nextExchange])
        let cabin = RowKey([.text("s2")])
        let note = RowKey([.text("n2")])
        for _ in 0..<2 {
            #expect(
                try await reasons(replica, "note", "n2")
                    == [.needsRow(table: "site", key: cabin, code: code)])
            #expect(
                try await reasons(replica, "tag", "t2")
                    == [.needsRow(table: "note", key: note, code: code)])
            try await replica.sync()
        }
        #expect(try await reasons(replica, "note", "n1") == [])
    }

    @Test func `is a row that the device does not send, before and after it was tried`()
        async throws
    {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        try await file.run(
            """
            INSERT INTO site VALUES('s2', CAST(x'61ff' AS TEXT), 20);
            INSERT INTO note VALUES('n2', 's2', 'at the cabin')
            """)
        for _ in 0..<2 {
            #expect(try await reasons(replica, "site", "s2") == [.unsendable(.invalidText)])
            #expect(
                try await reasons(replica, "note", "n2") == [
                    .needsRow(
                        table: "site", key: RowKey([.text("s2")]),
                        code: Refusal.Code.invalidText.rawValue)
                ])
            try await replica.sync()
        }
        // The list has it until the next exchange, and it is sent with that one.
        try await file.run("UPDATE site SET name = 'Cabin' WHERE id = 's2'")
        #expect(try await replica.refusedChanges.fetch().count == 1)
        #expect(try await reasons(replica, "site", "s2") == [.nextExchange])
        #expect(try await reasons(replica, "note", "n2") == [.nextExchange])
        try await replica.sync()
        #expect(try await reasons(replica, "note", "n2") == [])
    }

    @Test func `is a group that has a row of a suspended table`() async throws {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        try await camp.moveOn(replica)
        let code = try #require(replica.status.suspendedTables.first).code
        try await file.run(
            """
            INSERT INTO _moorage_group DEFAULT VALUES;
            INSERT INTO site VALUES('s2', 'Cabin', 20);
            INSERT INTO note VALUES('n1', 's1', 'in the group');
            DELETE FROM _moorage_group;
            INSERT INTO note VALUES('n2', 's1', 'alone');
            INSERT INTO tag VALUES('t1', 'n1')
            """)
        #expect(
            try await reasons(replica, "note", "n1") == [.groupNeedsTable("site", code: code)])
        #expect(try await reasons(replica, "note", "n2") == [.nextExchange])
        #expect(
            try await reasons(replica, "tag", "t1")
                == [.needsRow(table: "note", key: RowKey([.text("n1")]), code: "group")])
    }

    @Test func `is a group that has a row that is not sent, or too many rows`() async throws {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        try await file.run(
            """
            INSERT INTO _moorage_group DEFAULT VALUES;
            INSERT INTO site VALUES('s2', CAST(x'61ff' AS TEXT), 20);
            INSERT INTO note VALUES('n1', 's1', 'in the group');
            DELETE FROM _moorage_group
            """)
        for _ in 0..<2 {
            #expect(try await reasons(replica, "site", "s2") == [.unsendable(.invalidText)])
            #expect(
                try await reasons(replica, "note", "n1") == [
                    .needsRow(
                        table: "site", key: RowKey([.text("s2")]),
                        code: Refusal.Code.invalidText.rawValue)
                ])
            try await replica.sync()
        }
        try await file.run("UPDATE site SET name = 'Cabin' WHERE id = 's2'")
        #expect(try await reasons(replica, "note", "n1") == [.nextExchange])
        // The hub takes fewer rows from now on.
        try await file.run(
            """
            INSERT INTO tag VALUES('t1', 'n1');
            INSERT OR REPLACE INTO _moorage_meta(name, value) VALUES('maximumBatchRows', 1)
            """)
        #expect(try await reasons(replica, "note", "n1") == [.unsendable(.tooLarge)])
        #expect(
            try await reasons(replica, "tag", "t1") == [
                .needsRow(
                    table: "site", key: RowKey([.text("s2")]),
                    code: Refusal.Code.tooLarge.rawValue)
            ])
    }

    @Test func `is what the exchanges fail with, since the first of very many`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        try await shop.run("UPDATE orders SET note = 'n'")
        shop.clock.advance(.seconds(10))
        let since = shop.clock.now()
        for _ in 0..<60 {
            try await shop.fail(.unreachable)
            shop.clock.advance(.seconds(61))
        }
        let expected = PendingReason.offline(since: since, code: "unreachable")
        #expect(try await shop.reasons("orders", .integer(1)).last == expected)
        #expect(try await shop.replica.diagnostics().exchanges.last?.count == 60)
        // The next process goes on with the same failure.
        await shop.replica.saveExchanges(all: true)
        try await shop.reopen()
        try await shop.fail(.unreachable)
        #expect(try await shop.reasons("orders", .integer(1)).last == expected)
        #expect(try await shop.count("SELECT max(count) FROM _moorage_exchange") == 61)
        #expect(try await shop.replica.diagnostics().exchanges.last?.count == 61)
    }

    @Test func `is a row of a suspended table that referred to a deleted one`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        shop.hub.suspended = [SuspendedTable(name: "line", reason: "It is being changed.")]
        try await shop.replica.sync()
        try await shop.run("DELETE FROM line; DELETE FROM orders")
        let deletion = PendingReason.needsRow(table: "line", key: nil, code: "tableSuspended")
        #expect(try await shop.reasons("orders", .integer(1)) == [deletion])
        #expect(
            try await shop.reasons("line", .integer(1), .integer(1))
                == [.tableSuspended(code: "tableSuspended")])
        try await shop.replica.sync()
        #expect(try await shop.reasons("orders", .integer(1)) == [deletion])
    }

    @Test func `is found without a write`() async throws {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        try await file.run(
            """
            INSERT INTO site VALUES('s2', CAST(x'61ff' AS TEXT), 20);
            INSERT INTO note VALUES('n2', 's2', 'at the cabin')
            """)
        let before = try await file.read { $0.totalChangesCount }
        _ = try await reasons(replica, "site", "s2")
        _ = try await reasons(replica, "note", "n2")
        _ = try await replica.diagnostics()
        #expect(try await file.read { $0.totalChangesCount } == before)
        #expect(try await replica.refusedChanges.fetch().isEmpty)
    }

    @Test func `goes with the state of the row`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        shop.hub.refusing = {
            $0.table == "line" ? Refusal(code: .rule, message: "No.") : nil
        }
        try await shop.run("UPDATE orders SET note = 'n'; UPDATE line SET quantity = 7")
        let path = shop.path
        func row(_ table: String, _ key: Value...) async throws -> ReplicaInspection.Row {
            try await shop.pool.read { [key] in
                try ReplicaInspection($0, path: path).row(RowKey(key), of: table)
            }
        }
        #expect(try await row("orders", .integer(1)).state == .pending)
        #expect(try await row("customer", .text("a")).state == .synced)
        #expect(try await row("customer", .text("a")).isHere == true)
        #expect(try await row("customer", .text("x")).isHere == false)
        try await shop.replica.sync()
        let line = try await row("line", .integer(1), .integer(1))
        #expect(line.state == .refused(.rule) && line.reasons.isEmpty)
        #expect(line.refused.map(\.code) == [.rule])
        #expect(try await row("orders", .integer(1)).state == .synced)
    }
}
