import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import TestSupport
import Testing

@Suite(.ownThreads) struct `Records that are part of another one's JSON` {
    private static let order = """
        INSERT INTO "order" VALUES ('o', 'Ada');
        INSERT INTO line VALUES ('l1', 'o', 'Nails', 10), ('l2', 'o', 'Wood', 2);
        """

    private func device(_ texts: [String] = []) async throws -> (Device, FakeAPI) {
        let api = FakeAPI(["orders": FakeCollection(texts)])
        return (try await Device(api, [Order.self]), api)
    }

    private static let json = """
        {"customer":"Ada","id":"o","lines":[{"count":10,"id":"l1","product":"Nails"},\
        {"count":2,"id":"l2","product":"Wood"}]}
        """

    @Test func `go up with it, in one request`() async throws {
        let (device, api) = try await device()
        try await device.execute(Self.order)
        try await device.sync()
        #expect(api.rows("orders")["o"] == Self.json)
        #expect(api.requests("POST").count == 1)
        #expect(try await device.rows("SELECT id FROM line ORDER BY id") == ["l1", "l2"])
        #expect(device.replica.status.isCaughtUp)
    }

    @Test func `come down with it`() async throws {
        let (device, api) = try await device([Self.json])
        try await device.sync()
        #expect(
            try await device.rows("SELECT id, orderId, product, count FROM line ORDER BY id")
                == ["l1 o Nails 10", "l2 o Wood 2"])
        api.put(
            "orders",
            #"{"id":"o","customer":"Bo","lines":[{"id":"l2","product":"Wood","count":3}]}"#)
        try await device.sync()
        #expect(try await device.rows("SELECT id, count FROM line") == ["l2 3"])
        api.delete("orders", "o")
        try await device.sync()
        #expect(try await device.rows("SELECT id FROM line").isEmpty)
        #expect(try await device.rows("SELECT * FROM _moorage_rest_row").isEmpty)
    }

    @Test func `are changed, added and deleted by a request for their parent`() async throws {
        let (device, api) = try await device([Self.json])
        try await device.sync()
        api.put(
            "orders",
            Self.json.replacingOccurrences(
                of: "]}", with: #",{"id":"l9","product":"Glue","count":1,"color":"white"}]}"#))
        try await device.execute(
            """
            UPDATE line SET count = 11 WHERE id = 'l1';
            DELETE FROM line WHERE id = 'l2';
            INSERT INTO line VALUES ('l3', 'o', 'Paint', 1);
            """)
        try await device.sync()
        #expect(api.requests("PUT").count == 1)
        #expect(
            api.rows("orders")["o"] == """
                {"customer":"Ada","id":"o","lines":[{"count":11,"id":"l1","product":"Nails"},\
                {"color":"white","count":1,"id":"l9","product":"Glue"},\
                {"count":1,"id":"l3","product":"Paint"}]}
                """)
        #expect(
            try await device.rows("SELECT id, count FROM line ORDER BY id")
                == ["l1 11", "l3 1", "l9 1"])
    }

    @Test func `have conflicts of their own`() async throws {
        let (device, api) = try await device([Self.json])
        try await device.sync()
        api.put("orders", Self.json.replacingOccurrences(of: "10", with: "12"))
        try await device.execute("UPDATE line SET count = 11, product = 'Nail' WHERE id = 'l1'")
        try await device.sync()
        #expect(
            try await device.rows("SELECT product, count FROM line WHERE id = 'l1'") == ["Nail 12"])
        let conflict = try #require(try await device.conflicts.first)
        #expect(conflict.table == "line")
        #expect(conflict.mine == ["count": .integer(11)])
        #expect(conflict.theirs == ["count": .integer(12)])
    }

    @Test func `go with their parent`() async throws {
        let (device, api) = try await device([Self.json])
        try await device.sync()
        try await device.execute("DELETE FROM \"order\"")
        try await device.sync()
        #expect(api.rows("orders").isEmpty)
        #expect(api.requests("DELETE").count == 1)
        #expect(api.requests("PUT").isEmpty)
    }

    @Test func `stay with a parent that the server has changed`() async throws {
        let (device, api) = try await device([Self.json])
        try await device.sync()
        api.put("orders", Self.json.replacingOccurrences(of: "Ada", with: "Bo"))
        try await device.execute("DELETE FROM \"order\"")
        try await device.sync()
        #expect(api.rows("orders")["o"]?.contains("Wood") == true)
        #expect(try await device.rows("SELECT id FROM line ORDER BY id") == ["l1", "l2"])
        #expect(try await device.conflicts.count == 3)
    }

    @Test func `are refused without their parent, and with it`() async throws {
        let (device, api) = try await device([Self.json])
        try await device.sync()
        api.delete("orders", "o")
        try await device.execute("UPDATE line SET count = 11 WHERE id = 'l1'")
        try await device.sync()
        #expect(try await device.refused.map(\.code) == [.foreignKey])
        #expect(try await device.rows("SELECT * FROM line").isEmpty)
        api.change("orders") { $0.refuses = { _ in (422, "No.") } }
        try await device.execute(Self.order)
        try await device.sync()
        #expect(try await device.refused.count == 4)
        #expect(try await device.rows("SELECT * FROM line").isEmpty)
        #expect(try await device.rows("SELECT * FROM \"order\"").isEmpty)
    }

    @Test func `are not sent where the answer leaves them out`() async throws {
        let (device, api) = try await device([Self.json])
        try await device.sync()
        api.breaking { request in
            request.line == "GET orders/o"
                ? .status(200, body: #"{"id":"o","customer":"Ada"}"#) : nil
        }
        try await device.execute("UPDATE line SET count = 11 WHERE id = 'l1'")
        try await device.sync()
        #expect(try await device.refused.map(\.code) == [.failed])
        #expect(api.rows("orders")["o"] == Self.json)
        try await device.execute("UPDATE \"order\" SET customer = 'Bo'")
        try await device.sync()
        #expect(try await device.refused.count == 2)
        #expect(api.rows("orders")["o"] == Self.json)
        #expect(try await device.rows("SELECT id FROM line ORDER BY id") == ["l1", "l2"])
        api.breaking(nil)
        try await device.sync()
        #expect(
            try await device.rows("SELECT id, count FROM line ORDER BY id") == ["l1 10", "l2 2"])
    }

    @Test func `do not move to another parent`() async throws {
        let other = #"{"customer":"Bo","id":"p","lines":[]}"#
        let (device, api) = try await device([Self.json, other])
        try await device.sync()
        try await device.execute("UPDATE line SET orderId = 'p' WHERE id = 'l1'")
        try await device.sync()
        #expect(try await device.refused.map(\.code) == [.type])
        #expect(api.rows("orders") == ["o": Self.json, "p": other])
        try await device.sync()
        #expect(try await device.rows("SELECT orderId FROM line WHERE id = 'l1'") == ["o"])
    }

    @Test(arguments: [false, true])
    func `get ids of the server in the order of the request`(isLost: Bool) async throws {
        let api = FakeAPI([
            "orders": FakeCollection {
                $0.elementIDs = "lines"
                $0.nextID = 7
            }
        ])
        let device = try await Settings.$order.withValue(
            RESTSettings(children: [.embedded(Line.self, as: "lines", ids: .server)])
        ) { try await Device(api, [Order.self]) }
        try await device.execute("INSERT INTO \"order\" VALUES ('o', 'Ada')")
        try await device.sync()
        try await device.execute(
            "INSERT INTO line VALUES ('1', 'o', 'Nails', 1), ('2', 'o', 'Wood', 2)")
        if isLost {
            api.breakingOnce("PUT", .answerLost)
            _ = try? await device.sync()
            api.breaking(nil)
            try await device.reopen()
        }
        try await device.catchUp()
        #expect(
            try await device.rows("SELECT id, product FROM line ORDER BY product")
                == ["7 Nails", "8 Wood"])
        #expect(
            api.rows("orders")["o"] == """
                {"customer":"Ada","id":"o","lines":[{"count":1,"id":"7","product":"Nails"},\
                {"count":2,"id":"8","product":"Wood"}]}
                """)
    }
}
