import Foundation
import GRDB
import Moorage
import MoorageCore
import TestSupport
import Testing

@testable import MoorageRESTHub

/// A record with a value of each kind.
private struct Sample: Codable, FetchableRecord, PersistableRecord, Equatable, Uploadable {
    static let databaseTableName = "sample"
    static let path = "samples"

    struct Tags: Codable, Equatable {
        var names: [String]
        var depth: Int?
    }

    enum State: String, Codable {
        case open, closed
    }

    var id: UUID
    var name: String?
    var count: Int64
    var ratio: Double
    var price: Decimal
    var isDone: Bool
    var madeAt: Date
    var data: Data?
    var tags: Tags
    var state: State

    enum CodingKeys: String, CodingKey {
        case id, name, count, ratio, price, data, tags, state
        case isDone = "is_done"
        case madeAt = "made_at"
    }
}

@Suite(.ownThreads) struct `Records as JSON` {
    private static let schema = """
        CREATE TABLE sample(
          id BLOB PRIMARY KEY NOT NULL, name TEXT, count INTEGER NOT NULL, ratio DOUBLE NOT NULL,
          price DECIMAL NOT NULL, is_done BOOLEAN NOT NULL, made_at DATETIME NOT NULL, data BLOB,
          tags TEXT NOT NULL, state TEXT NOT NULL)
        """

    private func device(_ api: FakeAPI) async throws -> (DatabaseQueue, Replica) {
        let database = try DatabaseQueue()
        try await database.write { try $0.execute(sql: Self.schema) }
        let hub = RESTHub(FakeAPI.address, [Sample.self], in: database, transport: api)
        return (database, try await hub.replica(options: Device.options))
    }

    private func values(_ database: DatabaseQueue) async throws -> [DatabaseValue] {
        try await database.read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM sample").map { Array($0.databaseValues) } ?? []
        }
    }

    private static let id = UUID(uuidString: "5B0D3F6A-1111-4222-8333-0123456789AB")!

    private static func sample(_ milliseconds: Int) -> Sample {
        Sample(
            id: id, name: "Å \"1\"\n", count: .max, ratio: 0.1, price: Decimal(string: "12.30")!,
            isDone: true,
            madeAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(milliseconds) / 1000),
            data: Data([0, 255]), tags: .init(names: ["a", "b"]), state: .closed)
    }

    @Test(arguments: [0, 1, 123, 499, 999])
    func `come back as they were`(milliseconds: Int) async throws {
        let api = FakeAPI(["samples": FakeCollection()])
        let (one, first) = try await device(api)
        let (two, second) = try await device(api)
        let sample = Self.sample(milliseconds)
        try await one.write { try sample.insert($0) }
        try await first.sync()
        try await second.sync()
        let stored = try await values(one)
        let there = try await values(two)
        #expect(stored.count == 10 && stored == there)
        // Nobody finds a difference, so nobody sends anything.
        _ = api.takeLog()
        for replica in [first, second] {
            try await replica.sync()
            #expect(try await replica.verify().isEmpty)
        }
        #expect(Set(api.takeLog()) == ["GET samples"])
        // Each column can be changed alone.
        try await two.write { db in
            var sample = sample
            sample.price = 7
            sample.madeAt = Date(timeIntervalSince1970: 0)
            sample.name = nil
            try sample.update(db)
        }
        try await second.sync()
        try await first.sync()
        #expect(api.requests("PUT").map(\.path) == ["samples/\(Self.id.uuidString)"])
        let here = try await one.read { try Sample.fetchOne($0) }
        #expect(here?.price == 7)
        #expect(here?.name == nil)
        #expect(here?.madeAt == Date(timeIntervalSince1970: 0))
        #expect(here?.tags == sample.tags)
        #expect(try await second.overruledChanges.fetch().isEmpty)
    }

    @Test(arguments: [
        "2024-01-02T03:04:05Z", "2024-01-02T03:04:05.000Z", "2024-01-02T04:04:05+01:00",
    ])
    func `have dates of other programs, too`(text: String) throws {
        let dates = try JSONDecoder.moorageREST.decode(
            [Date].self, from: Data("[\"\(text)\"]".utf8))
        #expect(dates == [Date(timeIntervalSince1970: 1_704_164_645)])
    }
}

@Suite(.ownThreads) struct `Addresses and headers` {
    private func client(_ address: String) -> RESTClient {
        RESTClient(
            http: PlainHTTP(
                url: URL(string: address)!, credentials: nil, transport: FakeAPI([:]),
                allowsPlainHTTP: false, maximumAnswerBytes: 1_000),
            headers: [])
    }

    @Test(arguments: [
        ("https://a.example", "https://a.example/v1/users/a%20b"),
        ("https://a.example/", "https://a.example/v1/users/a%20b"),
        ("https://a.example/x%2Fy/", "https://a.example/x%2Fy/v1/users/a%20b"),
    ])
    func `are below the API's`(base: String, whole: String) {
        let client = client(base)
        #expect(client.address("/v1//users", id: "a b")?.absoluteString == whole)
        #expect(
            client.address("users", query: [("a&b", "c=d+é")])?.query(percentEncoded: true)
                == "a%26b=c%3Dd%2B%C3%A9")
    }

    @Test(arguments: [
        ("17", 17), ("0", 1), ("-5", 1), ("99999999999", 86_400),
        ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sun, 06 Nov 1994 08:49:00 GMT", 1),
    ])
    func `say how long to wait`(text: String, seconds: Int) {
        let headers = ["retry-after": text, "date": "Sun, 06 Nov 1994 08:49:37 GMT"]
        #expect(RetryAfter.duration(headers) == .seconds(seconds))
    }

    @Test(arguments: ["", "soon", "1e3", "99999999999999999999", "Sun, 99 Nov 1994"])
    func `say nothing that is no time`(text: String) {
        #expect(RetryAfter.duration(["retry-after": text]) == nil)
    }

    private static let page = URL(string: "https://a.example/u?c=1")!

    @Test(arguments: [
        ("<https://a.example/u?c=2>; rel=\"next\"", "https://a.example/u?c=2"),
        ("</u?c=1>; rel=prev, </u?c=2>; title=\"x\"; rel=next", "https://a.example/u?c=2"),
        ("<https://A.example:443/u?c=2>; rel=\"next\"", "https://A.example:443/u?c=2"),
        ("<?c=2>;rel=\"next\"", "https://a.example/u?c=2"), ("", nil), ("<", nil), (";,;", nil),
        ("<>", nil), ("<?c=2>; rel", nil), ("<?c=2>; rel=\"", nil), ("</u>; rel=\"prev\"", nil),
        ("</u>; title=\"; rel=next\"", nil),
    ])
    func `name the next page`(header: String, next: String?) throws {
        let url = try NextLink.url(header, from: Self.page, of: "u")
        #expect(url?.absoluteString == next)
    }

    @Test(arguments: [
        "https://b.example/u", "https://x@a.example/u", "http://a.example/u",
        "https://a.example:444/u", "//b.example/u",
    ])
    func `never name one at another server`(address: String) {
        let error = #expect(throws: HubError.self) {
            let url = try NextLink.url("<\(address)>; rel=next", from: Self.page, of: "u")
            return url
        }
        #expect(error?.code == .malformed)
    }
}
