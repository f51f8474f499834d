import Foundation
import TestSupport
import Testing

@testable import MoorageMySQL

extension Night {
    /// The attach waits within one try, by the real clock. In the gate its first try ends
    /// (`A prepared transaction`).
    @Suite(
        "An attach behind a prepared transaction", .ownThreads, .serialized,
        .enabled(if: !MySQLServer.all.isEmpty), .night(.soak))
    struct PreparedTransaction {
        @Test(arguments: MySQLServer.all)
        func `goes on as soon as it is committed`(server: MySQLServer) throws {
            for _ in 0..<Self.rounds {
                try server.withDatabase { subject in
                    try Alone.`A prepared transaction`.with(subject) { owner, name in
                        let waiter = Waiter { try subject.attach() }
                        waiter.start()
                        Thread.sleep(forTimeInterval: 0.5)
                        try owner.plain("XA COMMIT '\(name)'")
                        try waiter.end()
                        #expect(try Mirror(subject).differences() == [])
                    }
                }
            }
            NightPlan.figures("attaches behind a prepared transaction, \(server): \(Self.rounds)")
        }

        /// Few: others that attach on the server wait for each.
        private static let rounds = 20
    }
}
