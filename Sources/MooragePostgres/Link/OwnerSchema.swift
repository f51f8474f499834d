import MoorageCore
import MoorageHub

/// The one schema of the owner's that a hub works on. It also contains Moorage's own objects, so
/// two hubs on two schemas of one database share nothing.
struct OwnerSchema: Hashable, Sendable {
    let name: String
    /// The schemas with the operators of extension types. `citext` calls more texts equal than
    /// `text` does, but only where the search path finds its own `=`.
    var extensions: [String] = []

    static let usual = "public"

    /// - Throws: ``CentralError`` for what cannot be a schema of the owner's.
    init(_ name: String) throws {
        guard !name.isEmpty, !name.utf8.contains(0) else { throw CentralError.schemaWithoutName }
        guard !name.hasPrefix("pg_"), name != "information_schema" else {
            throw CentralError.systemSchema(name)
        }
        self.name = name
    }

    /// A table, function or sequence of the schema, as statements name it.
    func table(_ name: String) -> String { SQLText.name(self.name) + "." + SQLText.name(name) }

    /// Its number in the catalog.
    var number: String { SQLText.literal(SQLText.name(name)) + "::regnamespace" }

    /// The path of sessions. It includes what the owner's own triggers, checks and defaults expect
    /// to find.
    var sessionPath: String { path([name, Self.usual] + extensions) }

    /// The path of trigger functions, which run with the rights of the role that attached. A writer
    /// of the table cannot put an object in front of the expected one.
    var functionPath: String { "pg_catalog, " + path([name] + extensions) }

    private func path(_ schemas: [String]) -> String {
        var seen: [String] = []
        for schema in schemas where !seen.contains(where: { $0.hasSameBytes(as: schema) }) {
            seen.append(schema)
        }
        return (seen.map(SQLText.name) + ["pg_temp"]).joined(separator: ", ")
    }
}
