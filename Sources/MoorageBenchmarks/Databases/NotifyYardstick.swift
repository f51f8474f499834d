/// The shortest way of a change through PostgreSQL: an update, its commit, and a notification.
struct NotifyYardstick {
    static let name = "UPDATE, NOTIFY, COMMIT, notification"

    private let link: PostgresLink
    private let listener: PostgresLink

    /// - Parameter link: Writes. The table is not attached.
    init(_ scratch: PostgresScratch, _ link: PostgresLink) throws {
        self.link = link
        try link.run("CREATE TABLE yardstick (id bigint PRIMARY KEY, n bigint)")
        try link.run("INSERT INTO yardstick VALUES (1, 0)")
        listener = try PostgresLink(scratch.url)
        try listener.run("LISTEN moorage_bench")
    }

    /// - Returns: The seconds of one change.
    func measure() async throws -> Double {
        try await Cost.measure {
            try link.run(
                """
                BEGIN; UPDATE yardstick SET n = n + 1 WHERE id = 1;
                NOTIFY moorage_bench; COMMIT
                """)
            try listener.waitForNotification()
        }.wall
    }
}
