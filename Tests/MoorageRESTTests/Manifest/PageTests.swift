import MoorageCore
import TestSupport
import Testing

@testable import MoorageREST

/// docs/reference/stateless-sync.md: its requests get its answers, in their order.
@Suite(.ownThreads) struct `The page on stateless sync` {
    private static let schema = """
        CREATE TABLE orders (
          id INTEGER NOT NULL PRIMARY KEY, customer TEXT, paid BOOLEAN NOT NULL DEFAULT 0);
        CREATE TABLE order_details (
          order_id INTEGER NOT NULL REFERENCES orders(id), number INTEGER NOT NULL,
          quantity INTEGER, PRIMARY KEY (order_id, number));
        INSERT INTO orders VALUES
          (1, 'VINET', 1), (2, 'HANAR', 0), (3, 'TOMSP', 0), (4, 'VICTE', 0), (5, 'SUPRD', 0),
          (6, 'CHOPS', 0);
        INSERT INTO order_details VALUES (1, 1, 12), (1, 2, 10);
        UPDATE orders SET paid = 1 WHERE id IN (3, 4);
        INSERT INTO orders VALUES (7, 'RICSU', 0);
        """

    /// The blocks of JSON, as they are.
    private func blocks() throws -> [String] {
        try Repository.text("docs/reference/stateless-sync.md")
            .split(separator: "```json\n", omittingEmptySubsequences: false).dropFirst()
            .map { String($0.prefix(upTo: $0.firstRange(of: "```")?.lowerBound ?? $0.endIndex)) }
    }

    @Test func `shows requests with their answers`() async throws {
        let bench = try await RESTBench(schema: Self.schema)
        try bench.sql("DELETE FROM orders WHERE id = 6")
        let blocks = try blocks()
        #expect(blocks.count == 10)
        for place in stride(from: 0, to: blocks.count - 1, by: 2) {
            let path =
                blocks[place].contains("\"rows\"") || blocks[place].contains("\"ranges\"")
                ? "/v1/manifest" : "/v1/synchronise"
            let answer = try await bench.send("POST", path, body: blocks[place])
            let expected = try JSON(parsing: blocks[place + 1])
            #expect(answer.json.text == expected.text, "\(blocks[place])")
        }
    }
}
