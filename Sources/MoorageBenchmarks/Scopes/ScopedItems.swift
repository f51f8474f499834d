import MoorageCore
import MoorageHub
import MoorageWire

/// The rows of a table whose scopes follow from a column: each scope has as many.
struct ScopedItems {
    let kind: String
    let scopes: Int
    let rowsEach: Int

    static let table = TableColumns(name: "item", columns: ["id", "place", "note"])

    var rows: Int { scopes * rowsEach }

    func scope(_ number: Int) -> Scope { Scope("\(kind)/\(number)") }

    /// The key of a row of one scope.
    func key(_ number: Int, in scope: Int) -> Int64 { Int64(scope + scopes * number) }

    /// What the column has that is called `note`, before anybody changes it.
    static func note(_ key: Int64) -> String { "note \(key)" }

    /// A hub whose users may see the scopes that the claim of their kind names.
    var hub: HubConfiguration {
        var configuration = HubConfiguration()
        configuration.scopes = ScopeSettings(
            rules: ["item": [ScopeRule(.column(kind: kind, "place"))]],
            holdings: [kind: .claim(kind)])
        return configuration
    }

    var sqlite: String {
        """
        CREATE TABLE item(id INTEGER PRIMARY KEY, place INTEGER NOT NULL, note TEXT);
        CREATE INDEX item_place ON item(place);
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows - 1))
        INSERT INTO item SELECT i, i % \(scopes), 'note ' || i FROM n;
        """
    }

    var postgres: String {
        """
        CREATE TABLE item(id bigint PRIMARY KEY, place bigint NOT NULL, note text);
        CREATE INDEX item_place ON item(place);
        INSERT INTO item SELECT i, i % \(scopes), 'note ' || i
          FROM generate_series(0, \(rows - 1)) AS i;
        """
    }
}
