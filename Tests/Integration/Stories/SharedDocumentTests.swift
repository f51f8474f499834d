import Moorage
import MoorageHub
import TestSupport
import Testing

/// Documents that several users see, and one user who has no access to them.
@Suite(.ownThreads) struct `A document shared with three users` {
    private static let schema = [
        "CREATE TABLE documents (id INTEGER PRIMARY KEY NOT NULL, title TEXT)",
        """
        CREATE TABLE pages (
          id INTEGER PRIMARY KEY NOT NULL,
          document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE, text TEXT)
        """,
        """
        CREATE TABLE shares (
          document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
          user_id TEXT NOT NULL, PRIMARY KEY (document_id, user_id))
        """,
        "INSERT INTO documents VALUES (1, 'Minutes'), (2, 'Nobody''s')",
        "INSERT INTO pages VALUES (11, 1, 'one'), (12, 1, 'two'), (21, 2, 'hidden')",
        "INSERT INTO shares VALUES (1, 'ann'), (1, 'bob'), (1, 'carl')",
    ]

    private static let scopes = ScopeSettings(
        rules: [
            "documents": [ScopeRule(.members(of: "shares", kind: "person", "user_id"))],
            "pages": [ScopeRule(.through(["document_id"]))],
            "shares": [ScopeRule(.through(["document_id"]))],
        ], holdings: ["person": .claim("sub")])

    @Test(arguments: CentreKind.available)
    func `appears and disappears with its pages`(kind: CentreKind) async throws {
        var configuration = HubConfiguration()
        configuration.scopes = Self.scopes
        try await World.run(kind, schema: Self.schema, configuration: configuration) { world in
            var devices: [String: Device] = [:]
            for name in ["ann", "bob", "carl", "dora"] {
                devices[name] = try await world.clone(
                    name, link: .direct(world.hub.asSeen(by: Principal(subject: name))))
            }
            func expect(_ holders: Set<String>, _ pages: Int) async throws {
                for (name, device) in devices.sorted(by: { $0.key < $1.key }) {
                    let status = try await device.replica.sync()
                    #expect(status.isCaughtUp)
                    let documents = try device.text("SELECT group_concat(id) FROM documents") ?? ""
                    let count = try device.text("SELECT count(*) FROM pages")
                    #expect(documents == (holders.contains(name) ? "1" : ""), "\(name)")
                    #expect(count == String(holders.contains(name) ? pages : 0), "\(name)")
                }
            }
            func device(_ name: String) throws -> Device { try #require(devices[name]) }

            try await expect(["ann", "bob", "carl"], 2)
            // Bob loses access.
            try world.centre.execute("DELETE FROM shares WHERE user_id = 'bob'")
            try await expect(["ann", "carl"], 2)
            // Ann gives Dora access, and adds a page.
            try device("ann").execute("INSERT INTO shares VALUES (1, 'dora')")
            try device("ann").execute("INSERT INTO pages VALUES (13, 1, 'three')")
            try await device("ann").replica.sync()
            try await expect(["ann", "carl", "dora"], 3)
            // Dora edits, and the others see the edit.
            try device("dora").execute("UPDATE documents SET title = 'Draft' WHERE id = 1")
            try await device("dora").replica.sync()
            try await expect(["ann", "carl", "dora"], 3)
            #expect(try device("carl").text("SELECT title FROM documents") == "Draft")
            // Bob has access again, and receives the document in its current state.
            try world.centre.execute("INSERT INTO shares VALUES (1, 'bob')")
            try await expect(["ann", "bob", "carl", "dora"], 3)
            #expect(try device("bob").text("SELECT title FROM documents") == "Draft")
            // A page moves to a document that no user may see.
            try world.centre.execute("UPDATE pages SET document_id = 2 WHERE id = 13")
            try await expect(["ann", "bob", "carl", "dora"], 2)
            try world.centre.execute("DELETE FROM documents WHERE id = 1")
            try await expect([], 0)
            for device in devices.values {
                #expect(try await device.replica.refusedChanges.fetch().isEmpty)
            }
        }
    }
}
