import MoorageCore
import MoorageWire
import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `Every message` {
    @Test func `an exchange's request comes back as it was`() throws {
        try Law.line({ $0.request() }, { $0.encoded() }, { try ExchangeRequest(decoding: $0) })
    }

    @Test func `a batch comes back as it was`() throws {
        try Law.line({ $0.batch() }, { $0.encoded() }, { try Batch(decoding: $0) })
    }

    @Test func `a cursor comes back as it was`() throws {
        try Law.line({ $0.cursor() }, { $0.encoded() }, { try SyncCursor(decoding: $0) })
    }

    @Test func `a frame comes back as it was`() throws {
        try Law.line({ $0.frame() }, { $0.encoded() }, { try Frame(decoding: $0) })
    }

    @Test func `a schema comes back as it was, with its version`() throws {
        try Law.line({ $0.schema() }, { $0.encoded() }, { try SchemaDescription(decoding: $0) })
        try Law.line({ $0.schemaAnswer() }, { $0.encoded() }, { try SchemaAnswer(decoding: $0) })
    }

    @Test func `a comparison comes back as it was`() throws {
        try Law.line(
            { $0.compareRequest() }, { $0.encoded() }, { try CompareRequest(decoding: $0) })
        try Law.line({ $0.compareAnswer() }, { $0.encoded() }, { try CompareAnswer(decoding: $0) })
    }

    @Test func `rights and a device's report come back as they were`() throws {
        try Law.line({ $0.rights() }, { $0.encoded() }, { try RightsAnswer(decoding: $0) })
        try Law.line({ $0.report() }, { $0.encoded() }, { try DeviceReport(JSON(parsing: $0)) })
    }

    @Test func `an error comes back as it was`() throws {
        try Law.line({ $0.error() }, { $0.encoded() }, { try HubError(decoding: $0) })
    }

    @Test func `outcomes come back as they were`() throws {
        try Law.line({ $0.outcomes() }, { $0.encoded() }, { try Outcomes(decoding: $0) })
    }

    @Test func `values come back bit for bit`() throws {
        for seed in Law.seeds {
            var random = SeededGenerator(seed: seed)
            let values = random.row(12)
            #expect(try [Value](jsonText: values.jsonText()) == values)
        }
        let every: [Value] =
            hardTexts.map { .text($0) } + hardIntegers.map { .integer($0) }
            + hardReals.map { .real($0) } + [
                .null, .blob([]), .blob(Array(0...255)), .text("\u{E9}"), .text("e\u{301}"),
                .text(String(repeating: "é", count: 100_000)),
                .blob([UInt8](repeating: 0xFF, count: 100_001)),
            ]
        #expect(try [Value](jsonText: every.jsonText()) == every)
    }

    @Test func `equal cursors are equal bytes`() {
        for seed in Law.seeds {
            var one = SeededGenerator(seed: seed)
            var other = SeededGenerator(seed: seed)
            let first = one.cursor()
            let second = other.cursor()
            // Sets made again, in another order of insertion.
            let again = SyncCursor(
                epoch: second.epoch, checkpoint: second.checkpoint,
                complete: Set(second.complete.sorted().reversed()),
                partial: Set(second.partial.sorted().reversed()), tables: second.tables,
                scan: second.scan,
                ahead: Set(Array(second.ahead).reversed()), signature: second.signature)
            #expect(first.encoded() == again.encoded())
        }
    }

    @Test func `a stored batch goes out byte for byte`() throws {
        var random = SeededGenerator(seed: 9)
        let batch = random.batch()
        // As another version might have stored it: spaces, members in another order.
        let stored = Array(
            "{ \"nonce\" : \"n\", \"number\":3,\"tables\":[],\"changes\":[], \"preparedAt\":1 }"
                .utf8)
        let request = ExchangeRequest(
            replica: UUIDText.random(using: &random), hub: nil, sentAt: 0, tables: [],
            cursor: .start,
            schemaVersion: nil, batch: batch, limits: PageLimits())
        let bytes = request.block(batch: stored)
        #expect(
            String(decoding: bytes, as: UTF8.self).contains(String(decoding: stored, as: UTF8.self))
        )
        #expect(try ExchangeRequest(decoding: bytes).batch?.number == 3)
    }
}

@Suite(.ownThreads) struct `The form of messages` {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `of values is the one that the protocol describes`() {
        let values: [Value] = [
            .null, .integer(-5), .real(5), .real(-0.0), .real(.infinity), .text("a\"\n"),
            .blob([1, 2, 3]),
        ]
        #expect(
            values.jsonText() == #"[null,-5,5.0,-0.0,{"r":"inf"},"a\"\u000a",{"b":"AQID"}]"#)
    }

    @Test func `of a batch names tables once and columns by place`() {
        let batch = Batch(
            number: 7, nonce: "n", preparedAt: 10,
            tables: [TableColumns(name: "t", columns: ["id", "x"])],
            changes: [
                Change(
                    table: "t", key: RowKey([.integer(1)]),
                    operation: .update([ColumnEdit(column: 1, old: .null, new: .text("a"))]),
                    editedAt: 9),
                Change(
                    table: "t", key: RowKey([.integer(2)]), operation: .refetch, editedAt: 8,
                    isAgain: true),
            ])
        #expect(
            text(batch.encoded()) == """
                {"number":7,"nonce":"n","preparedAt":10,"tables":[{"name":"t","columns":["id","x"]}],\
                "changes":[{"table":0,"key":[1],"at":9,"update":[[1,null,"a"]]},\
                {"table":0,"key":[2],"at":8,"again":true,"refetch":true}]}
                """)
    }

    @Test func `of an update names the columns that are fills`() throws {
        let batch = Batch(
            number: 7, nonce: "n", preparedAt: 10,
            tables: [TableColumns(name: "t", columns: ["id", "x", "y"])],
            changes: [
                Change(
                    table: "t", key: RowKey([.integer(1)]),
                    operation: .update([
                        ColumnEdit(column: 2, old: .null, new: .integer(5), isFill: true),
                        ColumnEdit(column: 1, old: .text("a"), new: .text("b")),
                    ]), editedAt: 9)
            ])
        #expect(
            text(batch.encoded()) == """
                {"number":7,"nonce":"n","preparedAt":10,\
                "tables":[{"name":"t","columns":["id","x","y"]}],\
                "changes":[{"table":0,"key":[1],"at":9,"update":[[2,null,5],[1,"a","b"]],"fills":[2]}]}
                """)
        #expect(try Batch(decoding: batch.encoded()) == batch)
    }

    @Test func `of frames is one member that says the kind`() {
        #expect(text(Frame.end(End(hasMore: true)).encoded()) == #"{"end":{"more":true}}"#)
        #expect(
            text(Frame.error(HubError(.busy, "Later.", retryAfter: .seconds(5))).encoded())
                == #"{"error":{"code":"busy","message":"Later.","retryAfter":5}}"#)
        let outcomes = Outcomes(
            number: 1, status: .applied,
            outcomes: [
                Outcome(kind: .applied),
                Outcome(kind: .merged, stored: [.init(column: 2, value: .null)]),
                Outcome(kind: .refused(Refusal(code: .unique, message: "m"))),
            ])
        #expect(
            text(outcomes.encoded()) == """
                {"number":1,"status":"applied","list":["applied",\
                {"is":"merged","stored":[[2,null]]},{"refused":["unique","m"]}]}
                """)
    }

    @Test func `of a wait is whole seconds, at least one and at most a day`() throws {
        func wait(_ duration: Duration) throws -> Duration? {
            try HubError(decoding: HubError(.busy, "", retryAfter: duration).encoded()).retryAfter
        }
        #expect(try wait(.milliseconds(1)) == .seconds(1))
        #expect(try wait(.seconds(1_000_000)) == .seconds(86_400))
    }
}
