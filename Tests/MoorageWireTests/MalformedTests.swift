import MoorageCore
import MoorageTesting
import TestSupport
import Testing

@testable import MoorageWire

@Suite(.ownThreads) struct `A malformed message` {
    private func failure(_ decode: () throws -> Void) -> HubError? {
        do {
            try decode()
            return nil
        } catch {
            return error as? HubError
        }
    }

    private func batch(_ changes: String, columns: String = #"["id","x"]"#) -> [UInt8] {
        Array(
            """
            {"number":1,"nonce":"n","preparedAt":0,"tables":[{"name":"t","columns":\(columns)}],\
            "changes":\(changes)}
            """.utf8)
    }

    @Test(arguments: [
        (#"[{"table":1,"key":[1],"at":0,"refetch":true}]"#, "$.changes[0]: no such table"),
        (#"[{"table":0,"key":[],"at":0,"refetch":true}]"#, "$.changes[0].key"),
        (#"[{"table":0,"key":[[1]],"at":0,"refetch":true}]"#, "$.changes[0].key[0]"),
        (#"[{"table":0,"key":[1],"at":0}]"#, "exactly one of insert, update, delete, refetch"),
        (#"[{"table":0,"key":[1],"at":0,"refetch":true,"delete":[1,2]}]"#, "exactly one of"),
        (#"[{"table":0,"key":[1],"at":0,"insert":[1]}]"#, "$.changes[0].insert"),
        (#"[{"table":0,"key":[1],"at":0,"delete":[1,2,3]}]"#, "$.changes[0].delete"),
        (#"[{"table":0,"key":[1],"at":0,"update":[[2,1,2]]}]"#, "$.changes[0].update[0]"),
        (#"[{"table":0,"key":[1],"at":0,"update":[[-1,1,2]]}]"#, "$.changes[0].update[0][0]"),
        (#"[{"table":0,"key":[1],"at":0,"update":[[1,1,2],[1,2,3]]}]"#, "$.changes[0].update[1]"),
        (#"[{"table":0,"key":[1],"at":0,"update":[[1,1]]}]"#, "$.changes[0].update[0]"),
        (
            #"[{"table":0,"key":[1],"at":0,"update":[[1,1,2]],"fills":[1,0]}]"#,
            "$.changes[0].fills[1]"
        ),
        (
            #"[{"table":0,"key":[1],"at":0,"update":[[0,1,2],[1,1,2]],"fills":[1,0,1]}]"#,
            "$.changes[0].fills[2]"
        ),
        (
            #"[{"table":0,"key":[1],"at":0,"update":[[1,1,2]],"fills":[-1]}]"#,
            "$.changes[0].fills[0]"
        ),
        (
            #"[{"table":0,"key":[1],"at":0,"update":[[1,1,2]],"fills":[9223372036854775807]}]"#,
            "$.changes[0].fills[0]"
        ),
        (#"[{"table":0,"key":[1],"at":0,"update":[[1,1,2]],"fills":1}]"#, "$.changes[0].fills"),
        (#"[{"table":0,"key":[1],"at":0,"delete":[1,2],"fills":[]}]"#, "only an update has fills"),
        (#"[{"table":0,"key":[1],"at":1.5,"refetch":true}]"#, "$.changes[0].at"),
        (#"[{"table":0,"key":[1],"at":9223372036854775808,"refetch":true}]"#, "$.changes[0].at"),
        (
            #"[{"table":0,"key":[9223372036854775808],"at":0,"refetch":true}]"#,
            "$.changes[0].key[0]"
        ),
        (#"[{"table":0,"key":[1e400],"at":0,"refetch":true}]"#, "$.changes[0].key[0]"),
        (#"[{"table":0,"key":[true],"at":0,"refetch":true}]"#, "$.changes[0].key[0]"),
        (#"[{"table":0,"key":[{"b":"A"}],"at":0,"refetch":true}]"#, "$.changes[0].key[0]"),
        (#"[{"table":0,"key":[{"r":"huge"}],"at":0,"refetch":true}]"#, "$.changes[0].key[0]"),
        (#"{"0":1}"#, "$.changes: an array is missing"), ("null", "$.changes"),
    ])
    func `names the place`(changes: String, place: String) throws {
        let error = try #require(failure { _ = try Batch(decoding: batch(changes)) })
        #expect(error.code == .malformed)
        #expect(error.message.contains(place), "\(error.message)")
    }

    @Test func `is too large where few bytes stand for too much`() throws {
        let list = String(repeating: "0,", count: DecodingMemory.maximum / 100) + "0"
        let error = try #require(failure { _ = try Batch(decoding: batch("[\(list)]")) })
        #expect(error.code == .tooLarge)
        // A caller that counts the memory of many messages hears of it before the memory is taken.
        var used: [Int] = []
        let memory = DecodingMemory(limit: 10_000) { (count) throws(HubError) in
            used.append(count)
        }
        #expect(
            failure { _ = try Batch(decoding: batch("[\(list.prefix(1_000))"), memory: memory) }?
                .code == .tooLarge)
        #expect(used.reduce(0, +) <= 10_000)
        #expect(used.reduce(0, +) > 5_000)
    }

    @Test func `never repeats its content`() throws {
        let secret = "hunter2-0123456789"
        for changes in [
            #"[{"table":0,"key":["\#(secret)",[]],"at":0,"refetch":true}]"#,
            #"[{"table":0,"key":[1],"at":"\#(secret)","refetch":true}]"#,
            #"[{"table":0,"key":[{"b":"\#(secret)!"}],"at":0,"refetch":true}]"#,
            #"[{"table":0,"key":[1],"at":0,"\#(secret)":1}]"#, #"["\#(secret)"]"#,
            #"["\#(secret)]"#,
        ] {
            let error = try #require(failure { _ = try Batch(decoding: batch(changes)) })
            #expect(!error.message.contains("hunter2"), "\(error.message)")
        }
        let frame = try #require(
            failure { _ = try Frame(decoding: Array(#"{"\#(secret)":{}}"#.utf8)) })
        #expect(!frame.message.contains("hunter2"))
    }

    @Test(arguments: [
        #"{}"#, #"[]"#, #"{"welcome":{}}"#, #"{"end":{}}"#, #"{"end":{"more":1}}"#, #"{"stop":{}}"#,
        #"{"end":{"more":true},"page":{}}"#,
        #"{"outcomes":{"number":1,"status":"fine","list":[]}}"#,
        #"{"outcomes":{"number":1,"status":"applied","list":["done"]}}"#,
        #"{"outcomes":{"number":1,"status":"applied","list":[{"refused":["x"]}]}}"#,
        #"{"error":{"code":1,"message":""}}"#,
        #"{"error":{"code":"x","message":"","retryAfter":-1}}"#,
        "", "null", "\"end\"",
    ])
    func `is no frame`(text: String) throws {
        let error = try #require(failure { _ = try Frame(decoding: Array(text.utf8)) })
        #expect(error.code == .malformed)
    }

    @Test func `is no batch with a number below one or without a nonce`() {
        for (number, nonce) in [
            ("0", "n"), ("-1", "n"), ("1", ""), ("1", String(repeating: "n", count: 65)),
        ] {
            let text =
                #"{"number":\#(number),"nonce":"\#(nonce)","preparedAt":0,"tables":[],"changes":[]}"#
            #expect(failure { _ = try Batch(decoding: Array(text.utf8)) }?.code == .malformed)
        }
    }

    @Test func `is no request of a replica without a UUID`() {
        var random = SeededGenerator(seed: 1)
        let request = random.request()
        for id in ["", "x", request.replica.uppercased(), request.replica + " "] {
            let bytes = ExchangeRequest(
                replica: id, hub: nil, sentAt: 0, tables: [], cursor: .start, schemaVersion: nil,
                batch: nil,
                limits: PageLimits()
            ).encoded()
            #expect(
                failure { _ = try ExchangeRequest(decoding: bytes) }?.code == .malformed, "\(id)")
        }
    }

    @Test(arguments: [
        (#""scopes":[{"scope":""}]"#, "$.scopes[0]"),
        (#""scopes":[{"scope":"a"},{"scope":"\u0061"}]"#, "$.scopes: a scope twice"),
        (#""scopes":[{"priority":"high"}]"#, "$.scopes[0]: the member scope is missing"),
        (#""clientVersion":2"#, "$.clientVersion"),
        (#""report":{"pending":-1}"#, "$.report.pending"),
        (
            #""report":{"pending":0,"refused":0,"overruled":0,"fileSize":0,"name":"\#(String(repeating: "é", count: 101))"}"#,
            "$.report.name"
        ),
        (
            #""report":{"pending":0,"refused":0,"overruled":0,"fileSize":0,"suspended":["\#(String(repeating: "é", count: 101))"]}"#,
            "$.report.suspended[0]"
        ),
    ])
    func `of a request names the place`(member: String, place: String) throws {
        let bytes = request(#"\#(member),"#)
        let error = try #require(failure { _ = try ExchangeRequest(decoding: bytes) })
        #expect(error.code == .malformed)
        #expect(error.message.contains(place), "\(error.message)")
    }

    private func request(_ members: String) -> [UInt8] {
        Array(
            """
            {"protocol":3,"replica":"0f0e0d0c-0b0a-4908-8706-050403020100",\(members)"sentAt":0,\
            "tables":[],"cursor":{},"limits":{"rows":1,"bytes":1,"pages":1}}
            """.utf8)
    }

    @Test func `is not one with members of a later version`() throws {
        let later = try ExchangeRequest(
            decoding: request(#""later":{"a":[1]},"scopes":[{"scope":"a","priority":"now"}],"#))
        var plain = try ExchangeRequest(decoding: request(""))
        plain.scopes = [RequestedScope(Scope("a"))]
        #expect(later == plain)
        let end = try Frame(decoding: Array(#"{"end":{"more":true,"later":1}}"#.utf8))
        #expect(end == .end(End(hasMore: true)))
        let change = #"[{"table":0,"key":[1],"at":0,"refetch":true,"x":1}]"#
        #expect(try Batch(decoding: batch(change)).changes.count == 1)
        #expect(failure { _ = try SyncCursor(decoding: Array("[]".utf8)) }?.code == .malformed)
    }

    @Test func `of another protocol is told so, whatever else it holds`() {
        let bytes = Array(#"{"protocol":4,"something":"new"}"#.utf8)
        #expect(failure { _ = try ExchangeRequest(decoding: bytes) }?.code == .protocolTooOld)
    }

    @Test(arguments: [
        #"[{"name":"t","columns":[],"key":[],"unique":[],"foreign":[]}]"#,
        #"[{"name":"t","columns":[{"name":"a","type":"integer"}],"key":[1],"unique":[],"foreign":[]}]"#,
        #"[{"name":"t","columns":[{"name":"a","type":"integer"}],"key":[0,0],"unique":[],"foreign":[]}]"#,
        #"[{"name":"t","columns":[{"name":"a","type":"point"}],"key":[0],"unique":[],"foreign":[]}]"#,
        #"[{"name":"t","columns":[{"name":"a","type":"integer","default":[]}],"key":[0],"unique":[],"foreign":[]}]"#,
        #"[{"name":"t","columns":[{"name":"a","type":"integer"}],"key":[0],"unique":[[7]],"foreign":[]}]"#,
        """
        [{"name":"t","columns":[{"name":"a","type":"integer"}],"key":[0],"unique":[],"foreign":[\
        {"columns":[0],"table":"t","references":[],"onDelete":"cascade","onUpdate":"cascade",\
        "deferrable":false}]}]
        """,
    ])
    func `is no schema`(text: String) {
        #expect(
            failure { _ = try SchemaDescription(decoding: Array(text.utf8)) }?.code == .malformed)
    }

    @Test(arguments: [
        (#""comment":1"#, "", "$.tables[0].comment"),
        (#""checks":["a",{}]"#, "", "$.tables[0].checks[1]"),
        (#""checks":["\#(String(repeating: "é", count: 1_001))"]"#, "", "$.tables[0].checks[0]"),
        (#""indexes":[[0],[1]]"#, "", "$.tables[0].indexes[1]"),
        (#""indexes":[[]]"#, "", "$.tables[0].indexes[0]: an index without columns"),
        (#""indexes":\#(Array(repeating: [0], count: 201))"#, "", "more than 200"),
        ("", #""original":[]"#, "$.tables[0].columns[0].original"),
        ("", #""labels":"a""#, "$.tables[0].columns[0].labels"),
        ("", #""labels":\#(Array(repeating: "a", count: 1_001))"#, "more than 1000"),
        ("", #""file":1"#, "$.tables[0].columns[0].file"),
    ])
    func `of a schema with details names the place`(
        table: String, column: String, place: String
    ) throws {
        let error = try #require(
            failure { _ = try SchemaAnswer(decoding: schemaAnswer(table, column)) })
        #expect(error.code == .malformed)
        #expect(error.message.contains(place), "\(error.message)")
    }

    @Test func `is not one with details that a reader does not know`() throws {
        let plain = try SchemaAnswer(decoding: schemaAnswer("", ""))
        let known = try SchemaAnswer(
            decoding: schemaAnswer(#""comment":"c","later":1"#, #""file":true,"later":[]"#))
        #expect(known.schema == plain.schema && known.schema.version == plain.schema.version)
        #expect(
            known.details == [
                "t": TableDetails(comment: "c", columns: [0: ColumnDetails(isFile: true)])
            ])
        #expect(plain.details.isEmpty)
    }

    private func schemaAnswer(_ table: String, _ column: String) -> [UInt8] {
        func more(_ members: String) -> String { members.isEmpty ? "" : "," + members }
        return Array(
            """
            {"hub":"h","version":"v","tables":[{"name":"t","columns":[\
            {"name":"a","type":"text"\(more(column))}],"key":[0],"unique":[],"foreign":[]\
            \(more(table))}],"suspended":[]}
            """.utf8)
    }

    @Test func `with a name twice is refused`() {
        let twice = #"[{"name":"t","columns":[]},{"name":"t","columns":[]}]"#
        let text = #"{"number":1,"nonce":"n","preparedAt":0,"tables":\#(twice),"changes":[]}"#
        #expect(failure { _ = try Batch(decoding: Array(text.utf8)) }?.code == .malformed)
        let columns = batch("[]", columns: #"["a","\u0061"]"#)
        #expect(failure { _ = try Batch(decoding: columns) }?.code == .malformed)
        let table =
            #"{"name":"t","columns":[{"name":"a","type":"text"}],"key":[0],"unique":[],"foreign":[]}"#
        #expect(failure { _ = try SchemaDescription(decoding: Array("[\(table)]".utf8)) } == nil)
        #expect(
            failure { _ = try SchemaDescription(decoding: Array("[\(table),\(table)]".utf8)) }
                != nil)
    }

    @Test func `with rows of another width is no page`() {
        let text = """
            {"page":{"since":{},"cursor":{},"caughtUp":true,"removals":[],"withheld":[],\
            "tables":[{"table":"t","columns":["a","b"],"rows":[[1]]}]}}
            """
        #expect(
            failure { _ = try Frame(decoding: Array(text.utf8)) }?.message.contains("rows[0]")
                == true)
    }
}

@Suite(.ownThreads) struct `Bytes from outside` {
    @Test func `that are cut anywhere are an error or a message, never a trap`() {
        for seed in lawSeeds(150, nightly: 3_000) {
            var random = SeededGenerator(seed: seed)
            let (kind, bytes) = random.message()
            for _ in 0..<40 {
                let cut = Array(bytes.prefix(random.below(bytes.count + 1)))
                #expect(kind.problem(of: cut) == nil, "seed \(seed)")
            }
        }
    }

    @Test func `that are garbled are an error or a message, never a trap`() {
        for seed in lawSeeds(1500, nightly: 30_000) {
            var random = SeededGenerator(seed: seed &+ 77)
            let (kind, original) = random.message()
            for _ in 0..<15 {
                var bytes = original
                for _ in 0...random.below(3) { garble(&bytes, using: &random) }
                #expect(kind.problem(of: bytes) == nil, "seed \(seed)")
            }
        }
    }

    @Test func `that are random are an error`() {
        var random = SeededGenerator(seed: lawSeed + 3)
        let alphabet = Array(#"{}[]",:0123456789.eE-+\untruefalsepagkty "#.utf8)
        for index in 0..<trials(20_000, nightly: 1_000_000) {
            let bytes = (0..<random.below(60)).map { _ in
                index % 2 == 0 ? UInt8(truncatingIfNeeded: random.next()) : random.one(of: alphabet)
            }
            let kind = random.one(of: MessageKind.allCases)
            #expect(kind.problem(of: bytes) == nil, "number \(index)")
        }
    }

    /// Replaces numbers with extreme ones, and cuts, doubles and moves pieces.
    private func garble(_ bytes: inout [UInt8], using random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = random.below(bytes.count)
        let length = min(random.below(30) + 1, bytes.count - place)
        switch random.below(6) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.removeSubrange(place..<(place + length))
        case 2:
            bytes.insert(
                contentsOf: Array(bytes[place..<(place + length)]), at: random.below(bytes.count))
        case 3:
            guard let digit = bytes[place...].firstIndex(where: { (0x30...0x39).contains($0) })
            else { return }
            let extreme = [
                "-1", "9223372036854775807", "-9223372036854775808", "18446744073709551616",
                "1e400", "0.5",
                "1e-9223372036854775808", "4294967296",
            ]
            bytes.replaceSubrange(digit...digit, with: Array(random.one(of: extreme).utf8))
        case 4:
            let pieces = [
                "null", "true", "[]", "{}", "\"\"", "[[[[", "}", "\\u0000", ",", "\"a\":",
            ]
            bytes.replaceSubrange(
                place..<(place + length), with: Array(random.one(of: pieces).utf8))
        default: bytes.swapAt(place, random.below(bytes.count))
        }
    }
}
