import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `A manifest of versions` {
    @Test func `is divided by what both have`() async throws {
        let bench = try await RESTBench()
        try bench.sql("INSERT INTO customer VALUES ('C', 'c', NULL), ('D', 'd', NULL)")
        let version = try await bench.version("customer/VINET")
        try bench.sql("DELETE FROM customer WHERE id = 'D'")
        let answer = try await bench.manifest(
            """
            {"tables":{"customer":{"rows":[
              {"key":"VINET","version":"\(version)"},
              {"key":"HANAR","version":"old"},
              {"key":"NEW"}, {"key":"NEW2","synced":false},
              {"key":"D"}, {"key":"X","version":"old"}, {"key":"Y","synced":true}
            ]}}}
            """)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(
            answer.sections("customer")
                == #"missingHere: "NEW", "NEW2"; missingThere: "C"; newerHere: "HANAR"; "#
                + #"gone: "D", "X", "Y"; same: 1"#)
        let newer = answer.table("customer")["newerHere"]?.elements.first?["version"]?.string
        #expect(try await bench.version("customer/HANAR") == newer)
        #expect(answer.table("customer")["next"]?.text == "null")
    }

    @Test func `counts what the client did`() async throws {
        let bench = try await RESTBench()
        let (one, two) = (
            try await bench.version("purchase/1"), try await bench.version("purchase/2")
        )
        func sections(_ rows: String) async throws -> String {
            try await bench.manifest(#"{"tables":{"purchase":{"rows":[\#(rows)]}}}"#)
                .sections("purchase")
        }
        let rest = "missingThere: 3; "
        #expect(
            try await sections(
                #"{"key":1,"version":"\#(one)","synced":false},{"key":2,"version":"\#(two)","synced":true}"#
            )
                == "missingThere: 3; newerThere: 1; same: 1")
        #expect(
            try await sections(
                #"{"key":1,"version":"old","synced":false},{"key":2,"synced":true}"#)
                == rest + "newerHere: 2; conflicting: 1; same: 0")
        #expect(
            try await sections(
                #"{"key":1,"version":"\#(one)","deleted":true},{"key":2,"version":"old","deleted":true}"#
            )
                == rest + "newerThere: 1; conflicting: 2; same: 0")
        #expect(
            try await sections(#"{"key":1},{"key":2,"deleted":true},{"key":8,"deleted":true}"#)
                == rest + "newerThere: 2; conflicting: 1; gone: 8; same: 0")
        #expect(
            try await sections(#"{"key":7,"version":"a","synced":false},{"key":1,"synced":null}"#)
                == "missingThere: 2, 3; conflicting: 1; gone: 7; same: 0")
    }

    @Test func `may be without anything, as a list or as an object`() async throws {
        let bench = try await RESTBench()
        let all = #"missingThere: "HANAR", "VINET"; same: 0"#
        for body in [
            #"{"tables":{"customer":{"rows":[]}}}"#, #"{"tables":{"customer":{"rows":{}}}}"#,
            #"{"tables":{"customer":{}}}"#, #"{"tables":{"customer":[]}}"#,
            #"{"tables":{"customer":null}}"#,
            #"{"tables":{"customer":{"rows":null,"after":null,"limit":null,"ranges":[]}}}"#,
        ] {
            let answer = try await bench.manifest(body)
            #expect(answer.sections("customer") == all, "\(body) \(answer.text)")
            #expect(answer.table("customer")["gone"]?.text == "[]")
        }
        for body in ["{}", "[]", #"{"tables":[]}"#, #"{"tables":{}}"#] {
            #expect(try await bench.manifest(body).text == #"{"tables":{}}"#)
        }
    }

    @Test func `has keys of several columns, and as the client writes them`() async throws {
        let bench = try await RESTBench()
        let id = "6FA9DE85-6161-4583-9060-401245A55AF9"
        try bench.sql("INSERT INTO sample (id) VALUES ('\(id.lowercased())')")
        let answer = try await bench.manifest(
            """
            {"tables":{"line":{"rows":[{"key":[1,1],"synced":true},{"key":[9,9]}]},
            "sample":{"rows":[{"key":"\(id)","synced":true}]}}}
            """)
        #expect(
            answer.sections("line")
                == "missingHere: [9,9]; missingThere: [1,2], [3,1]; newerHere: [1,1]; same: 0")
        #expect(answer.sections("sample") == "newerHere: \"\(id)\"; same: 0")
    }

    @Test func `answers a row that comes twice each time`() async throws {
        let bench = try await RESTBench()
        let answer = try await bench.manifest(
            """
            {"tables":{"purchase":{"rows":[{"key":1},{"key":1,"synced":true},{"key":7},{"key":7}]}}}
            """)
        #expect(
            answer.sections("purchase")
                == "missingHere: 7, 7; missingThere: 2, 3; newerHere: 1; conflicting: 1; same: 0")
    }

    @Test func `forgets rows that are gone, in the course of time`() async throws {
        let bench = try await RESTBench()
        try bench.sql("INSERT INTO customer VALUES ('D', 'd', NULL)")
        let version = try await bench.version("customer/D")
        try bench.sql("DELETE FROM customer WHERE id = 'D'")
        func sections(_ entry: String) async throws -> String {
            let rows = #"{"key":"D"\#(entry)}"#
            return try await bench.manifest(
                #"{"tables":{"customer":{"after":"Z","rows":[\#(rows)]}}}"#
            ).sections("customer")
        }
        let entries = [
            "", #","synced":false"#, #","synced":true"#, #","version":"\#(version)""#,
            #","version":"\#(version)","synced":false"#, #","deleted":true"#,
        ]
        for entry in entries { #expect(try await sections(entry) == #"gone: "D"; same: 0"#) }
        // What the hub does after the retention time.
        let table = try bench.rows(
            "SELECT name FROM sqlite_master WHERE name LIKE 'moorage_track_%_customer'")
        guard case .text(let track)? = table.first?.first else {
            Issue.record("no tracking table")
            return
        }
        try bench.sql("DELETE FROM \(track) WHERE NOT live")
        for (place, entry) in entries.enumerated() {
            let section = place < 2 ? "missingHere" : "gone"
            #expect(try await sections(entry) == #"\#(section): "D"; same: 0"#)
        }
    }

    @Test func `finds the rows of a user alone`() async throws {
        var configuration = HubConfiguration()
        configuration.scopes = ScopeSettings(
            rules: ["item": [ScopeRule(.column(kind: "owner", "owner"))]],
            holdings: ["owner": .claim("sub")])
        let bench = try await RESTBench(
            schema: """
                CREATE TABLE item (id INTEGER NOT NULL PRIMARY KEY, owner TEXT);
                INSERT INTO item VALUES (1, 'ann'), (2, 'bob'), (3, 'ann'), (4, 'bob');
                """, configuration)
        try bench.sql("DELETE FROM item WHERE id = 4; UPDATE item SET owner = 'bob' WHERE id = 3")
        func sections(_ entry: String) async throws -> String {
            let rows = (1...5).map { #"{"key":\#($0)\#(entry)}"# }.joined(separator: ",")
            return try await bench.manifest(#"{"tables":{"item":{"rows":[\#(rows)]}}}"#)
                .sections("item")
        }
        // A row of another looks like one that never was, and one that was given away like one that
        // was deleted.
        #expect(
            try await sections("") == "missingHere: 2, 4, 5; conflicting: 1; gone: 3; same: 0")
        #expect(
            try await sections(#","version":"x""#) == "newerHere: 1; gone: 2, 3, 4, 5; same: 0")
        let bob = try await bench.manifest(#"{"tables":{"item":[]}}"#, as: "bob")
        #expect(bob.sections("item") == "missingThere: 2, 3; same: 0")
    }
}

@Suite(.ownThreads) struct `A manifest of times` {
    private let bench: RESTBench

    init() async throws {
        bench = try await RESTBench(
            schema: """
                CREATE TABLE item (
                  id INTEGER NOT NULL PRIMARY KEY, changed TIMESTAMP, rank INTEGER, name TEXT);
                INSERT INTO item VALUES
                  (1, '2026-01-02 10:00:00', 5, 'a'), (2, '2026-01-02 10:00:00', 5, 'b'),
                  (3, NULL, NULL, 'c'), (4, '2026-01-02 10:00:00.5', 9, 'd');
                """)
    }

    private func sections(_ column: String, _ rows: String) async throws -> String {
        let answer = try await bench.manifest(
            #"{"tables":{"item":{"modified":"\#(column)","rows":[\#(rows)]}}}"#)
        return answer.status == 200 ? answer.sections("item") : answer.text
    }

    @Test func `is divided by which is later`() async throws {
        #expect(
            try await sections(
                "changed",
                """
                {"key":1,"modified":"2026-01-02T10:00:00.000"},
                {"key":2,"modified":"2026-01-02T10:00:01"},
                {"key":3,"modified":null},{"key":4,"modified":"2026-01-02T10:00:00"},
                {"key":9,"modified":"2026-01-02T10:00:00"}
                """) == "missingHere: 9; newerHere: 4; newerThere: 2; same: 2")
        #expect(
            try await sections(
                "rank",
                """
                {"key":1,"modified":4,"synced":false},{"key":2,"modified":6,"synced":true},
                {"key":3,"modified":1},{"key":4,"modified":null}
                """) == "newerHere: 4; newerThere: 2, 3; conflicting: 1; same: 0")
        #expect(
            try await sections(
                "rank",
                """
                {"key":1,"modified":5,"synced":false},{"key":2,"modified":6,"deleted":true},
                {"key":4,"modified":8,"deleted":true},{"key":3,"modified":null,"deleted":true}
                """) == "newerThere: 1, 2, 3; conflicting: 4; same: 0")
    }

    @Test func `names a column that says when`() async throws {
        #expect(try await sections("name", "").contains("is text"))
        #expect(try await sections("nothing", "").contains("unknownColumn"))
        #expect(try await sections("changed", #"{"key":1,"modified":5}"#).contains("\"type\""))
        let answer = try await bench.manifest(
            #"{"tables":{"item":{"rows":[{"key":1,"modified":1}]}}}"#)
        #expect(answer.status == 400 && answer.text.contains("does not name the column"))
    }
}

@Suite(.ownThreads) struct `A manifest of digests` {
    private func digest(_ text: String) -> String {
        var digest = SHA256()
        digest.add(text.utf8)
        return digest.hex
    }

    @Test func `is divided by what is in the rows`() async throws {
        let bench = try await RESTBench()
        try bench.sql("INSERT INTO customer VALUES ('C', 'x, y''s *é', NULL), ('D', '', '')")
        let c = digest("C,x%2C%20y%27s%20%2A%C3%A9,!")
        let d = digest("D,,")
        let answer = try await bench.manifest(
            """
            {"tables":{"customer":{"digest":["id","name","city"],"rows":[
              {"key":"C","digest":"\(c)"},{"key":"D","digest":"\(d)","synced":false},
              {"key":"VINET","digest":"x"},{"key":"HANAR","digest":"x","synced":true},
              {"key":"E","digest":"x"},{"key":"F","digest":"x","synced":true}]}}}
            """)
        #expect(
            answer.sections("customer")
                == #"missingHere: "E"; newerHere: "HANAR"; conflicting: "VINET"; gone: "F"; same: 2"#
        )
        let deleted = try await bench.manifest(
            """
            {"tables":{"customer":{"digest":["id","name","city"],"rows":[
              {"key":"C","digest":"\(c)","deleted":true},{"key":"D","digest":"x","deleted":true},
              {"key":"VINET","digest":"x","synced":false},{"key":"HANAR","synced":true}]}}}
            """)
        #expect(
            deleted.sections("customer")
                == #"newerHere: "HANAR"; newerThere: "C"; conflicting: "D", "VINET"; same: 0"#)
    }

    @Test func `has the texts of each type`() async throws {
        let bench = try await RESTBench()
        let id = "6fa9de85-6161-4583-9060-401245a55af9"
        try bench.sql(
            """
            INSERT INTO sample (id, n, d, b, bytes, day, time, stamp, moment) VALUES ('\(id)', -5,
            '0.5', 1, x'fbff', '2026-01-31', '08:00:00', '2026-01-31 08:00:00',
            '2026-01-31 08:00:00')
            """)
        let text = digest(
            "\(id),-5,0.5,true,%2B%2F8%3D,2026-01-31,08%3A00%3A00,2026-01-31T08%3A00%3A00,"
                + "2026-01-31T08%3A00%3A00Z")
        let answer = try await bench.manifest(
            """
            {"tables":{"sample":{
              "digest":["id","n","d","b","bytes","day","time","stamp","moment"],
              "rows":[{"key":"\(id)","digest":"\(text)"}]}}}
            """)
        #expect(answer.sections("sample") == "same: 1", "\(answer.text)")
        for column in ["r", "doc", "x"] {
            let refused = try await bench.manifest(
                #"{"tables":{"sample":{"digest":["\#(column)"]}}}"#)
            #expect(refused.status == 400, "\(refused.text)")
        }
        let twice = try await bench.manifest(#"{"tables":{"sample":{"digest":["n","n"]}}}"#)
        #expect(twice.code == "malformed")
        let missing = try await bench.manifest(
            #"{"tables":{"sample":{"rows":[{"key":"\#(id)","digest":"x"}]}}}"#)
        #expect(missing.code == "malformed")
    }
}
