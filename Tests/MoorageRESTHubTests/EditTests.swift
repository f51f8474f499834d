import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import TestSupport
import Testing

private struct Bill: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "bill"
    var id: String
    var note: String?
    var price: Double
    var at: Date
}

private struct Entry: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "entry"
    var id: String
    var billId: String
    var text: String
    var price: Double
}

extension Bill: Uploadable {
    static let path = "bills"
    @TaskLocal static var settings = RESTSettings(
        children: [.embedded(Entry.self, as: "entries")])
    static var rest: RESTSettings { settings }
}

@Suite(.ownThreads) struct `What an edit writes` {
    private static let schema = """
        CREATE TABLE bill(
          id TEXT PRIMARY KEY NOT NULL, note TEXT, price DOUBLE NOT NULL, at DATETIME NOT NULL);
        CREATE TABLE entry(
          id TEXT PRIMARY KEY NOT NULL, billId TEXT NOT NULL REFERENCES bill(id),
          text TEXT NOT NULL, price DOUBLE NOT NULL);
        """
    private static let bill = """
        {"at":"2026-01-01T10:00:00.123456Z","entries":[{"at":"10:00","billId":"a","id":"e",\
        "price":1.10,"text":"Tea"},{"id":"f","price":2.20,"text":"Pie"}],"id":"a","note":"n",\
        "price":12.50,"url":"/bills/a"}
        """

    private func device(_ text: String = bill) async throws -> (Device, FakeAPI) {
        let api = FakeAPI(["bills": FakeCollection([text])])
        let database = try DatabaseQueue()
        try await database.write { try $0.execute(sql: Self.schema) }
        let device = try await Device(api, [Bill.self], database: database)
        try await device.sync()
        return (device, api)
    }

    @Test func `leaves every member as the server wrote it that the device did not change`()
        async throws
    {
        let (device, api) = try await device()
        try await device.execute("UPDATE bill SET note = 'm'")
        try await device.sync()
        #expect(
            api.rows("bills")["a"]
                == Self.bill.replacingOccurrences(of: #""n""#, with: #""m""#))
        #expect(try await device.conflicts.isEmpty)
    }

    @Test func `leaves the children so, too`() async throws {
        let (device, api) = try await device()
        try await device.execute("UPDATE entry SET text = 'Tee' WHERE id = 'e'")
        try await device.sync()
        #expect(
            api.rows("bills")["a"] == Self.bill.replacingOccurrences(of: "Tea", with: "Tee"))
    }
}
