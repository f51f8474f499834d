import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

@Suite(.ownThreads) struct `What a user of MariaDB may do` {
    private let grants = GrantList([
        "GRANT PROCESS ON *.* TO `hub`@`%` IDENTIFIED BY PASSWORD '*x'",
        "GRANT SELECT, CREATE TEMPORARY TABLES ON `shop\\_1`.* TO `hub`@`%`",
        "GRANT INSERT, UPDATE (`a`, `b`), TRIGGER ON `shop_1`.`orders` TO `hub`@`%`",
        "GRANT `clerk` TO `hub`@`%`",
        "GRANT ALL PRIVILEGES ON `test%`.* TO `hub`@`%` WITH GRANT OPTION",
    ])

    @Test func `is what its grants say`() {
        #expect(grants.has("PROCESS", on: "elsewhere"))
        #expect(grants.has("SELECT", on: "shop_1", table: "customer"))
        // The underscore was meant.
        #expect(!grants.has("SELECT", on: "shopX1"))
        #expect(grants.has("TRIGGER", on: "shop_1", table: "orders"))
        #expect(!grants.has("TRIGGER", on: "shop_1", table: "customer"))
        #expect(!grants.has("TRIGGER", on: "shop_1"))
        #expect(!grants.has("UPDATE", on: "shop_1", table: "orders"))
        #expect(grants.has("DELETE", on: "testing"))
        #expect(!grants.hasEverywhere("SUPER"))
        #expect(grants.hasRoles)
    }

    @Test func `is everything with all privileges`() {
        let all = GrantList(["GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost`"])
        #expect(all.hasEverywhere("SUPER") && all.has("DROP", on: "any"))
    }
}

@Suite(.ownThreads) struct `A server's settings` {
    private func codes(_ change: (inout ServerSettings) -> Void) -> [Finding.Code] {
        var settings = ServerSettings()
        change(&settings)
        return settings.findings.map(\.code)
    }

    @Test func `are told of where they hurt`() {
        #expect(codes { _ in } == [])
        #expect(codes { $0.isReadOnly = true } == [.readOnly])
        #expect(codes { $0.sqlMode = "" } == [.notStrict])
        #expect(codes { $0.sqlMode = "ANSI_QUOTES,STRICT_ALL_TABLES" } == [])
        #expect(codes { $0.maximumPacketBytes = 1_048_576 } == [.smallPackets])
        #expect(codes { $0.binaryLogFormat = "STATEMENT" } == [])
        #expect(
            codes { ($0.hasBinaryLog, $0.binaryLogFormat) = (true, "STATEMENT") } == [.binaryLog])
    }

    /// The server takes no write in READ COMMITTED then.
    @Test func `are a problem where the binary log holds statements`() {
        var settings = ServerSettings()
        (settings.hasBinaryLog, settings.binaryLogFormat) = (true, "STATEMENT")
        #expect(settings.findings.map(\.severity) == [.problem])
    }

    @Test func `let a user make triggers, or not`() {
        func isRefused(log: Bool, trusts: Bool, user: Bool) -> Bool {
            codes { ($0.hasBinaryLog, $0.trustsTriggers, $0.isTrusted) = (log, trusts, user) }
                == [.missingPrivileges]
        }
        #expect(isRefused(log: true, trusts: false, user: false))
        #expect(!isRefused(log: false, trusts: false, user: false))
        #expect(!isRefused(log: true, trusts: true, user: false))
        #expect(!isRefused(log: true, trusts: false, user: true))
    }
}
