import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `A request for columns that are gone` {
    private func exchange(
        _ bench: HubBench, _ replica: ScriptedReplica, _ batch: Batch?
    ) throws -> [Frame] {
        let tables = replica.tables.map {
            TableColumns(name: $0.name, columns: $0.columns + ["gone"])
        }
        let request = ExchangeRequest(
            replica: replica.id, hub: replica.hubID, sentAt: replica.now, tables: tables,
            cursor: replica.cursor, schemaVersion: "older", batch: batch, limits: PageLimits())
        var frames: [Frame] = []
        try bench.hub.exchange(request, for: nil) { (frame: Frame) in frames.append(frame) }
        return frames
    }

    /// Whether the answer is a welcome with the schema, and an end with more to come.
    private func isSchemaAlone(_ frames: [Frame]) -> Bool {
        guard frames.count == 2, case .welcome(let welcome) = frames[0],
            case .end(let end) = frames[1]
        else { return false }
        return welcome.schema != nil && welcome.live == nil && end.hasMore
    }

    @Test func `gets the schema alone, and its batch stays in flight`() throws {
        let bench = try HubBench()
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        let row: [Value] = [.text("a"), .text("Ann"), .null, .null, .null]
        let batch = replica.batch([replica.insert("customer", row)])
        #expect(isSchemaAlone(try exchange(bench, replica, nil)))
        #expect(isSchemaAlone(try exchange(bench, replica, batch)))
        #expect(try bench.rows("SELECT id FROM customer").isEmpty)
        #expect(replica.answer(try replica.exchange(batch))?.status == .applied)
        // The answer was lost, and the columns are gone meanwhile. The hub neither refuses the
        // batch nor takes it twice.
        #expect(isSchemaAlone(try exchange(bench, replica, batch)))
        #expect(replica.answer(try replica.exchange(batch))?.status == .alreadyApplied)
        #expect(try bench.rows("SELECT id FROM customer") == [[.text("a")]])
    }
}
