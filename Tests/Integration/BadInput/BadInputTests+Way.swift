import Foundation
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

#if Server
    import MoorageServer
#endif

/// Faults between a device and its hub.
extension `Bad input is a typed error and nothing is half done` {
    #if Server
        @Test(arguments: GarblingTransport.Damage.allCases, WireEncoding.allCases)
        func `a truncated or garbled answer`(
            damage: GarblingTransport.Damage, encoding: WireEncoding
        ) async throws {
            try await World.run(.sqlite, .http, schema: Self.schema) { world in
                let good = try await world.clone("A")
                try good.execute(
                    """
                    INSERT INTO customer VALUES (7, 'from the device', 7);
                    UPDATE customer SET age = 31 WHERE id = 1;
                    DELETE FROM orders WHERE id = 10;
                    """)
                try world.centre.execute(
                    "INSERT INTO customer VALUES (8, 'from the centre', 8); UPDATE customer SET name = 'Bo' WHERE id = 2"
                )
                let transport = GarblingTransport(damage, in: encoding)
                let a = try await world.reopen(
                    good,
                    link: .direct(
                        HTTPHubConnection(
                            url: world.url, secret: World.secret, transport: transport)))
                let before = try await a.state()
                for _ in 0..<2 {
                    let error = try await Self.replicaError { try await a.replica.sync() }
                    #expect(!error.message.isEmpty)
                    #expect(Self.codesOfTheWay.contains(error.code.rawValue), "\(error)")
                }
                // The device may keep a page that arrived whole before the damage. It keeps no half
                // page, and it loses and reverts no edit.
                let after = try await a.state()
                if damage != .cutBeforeTheEnd, damage != .twiceTheAnswer, damage != .cutInsideALine
                {
                    #expect(after == before)
                }
                transport.heal()
                try await world.converge(a)
                #expect(try await world.differences(a) == [])
                #expect(try await world.conflicts() == [])
                #expect(
                    try world.centre.count("SELECT count(*) FROM customer WHERE id IN (7, 8)") == 2)
                #expect(try world.centre.count("SELECT count(*) FROM orders") == 0)
            }
        }

        private static let codesOfTheWay: Set<String> = [
            "unreachable", "malformed", "notOurServer", "protocolViolation",
        ]

        @Test(arguments: CentreKind.available)
        func `a body over the limit`(kind: CentreKind) async throws {
            try await World.run(kind, schema: Self.schema) { world in
                try await RunningHub.run(
                    world.hub, limits: HubServer.Limits(maximumBodyBytes: 20_000)
                ) { url in
                    let a = try await world.reopen(
                        try await world.clone("A"), link: .http(url, secret: World.secret))
                    let name = String(repeating: "long ", count: 10_000)
                    try a.insert(
                        into: "customer", ["id", "name"], [.integer(3), .text(name)])
                    let before = try await a.state()
                    let central = try await world.centreState()
                    let error = try await Self.replicaError { try await a.replica.sync() }
                    #expect(error.code.rawValue == "tooLarge")
                    #expect(!error.message.isEmpty)
                    #expect(try await a.state() == before)
                    #expect(try await world.centreState() == central)
                    // The user fixes the edit, or the operator raises the limit. Here the edit is
                    // fixed.
                    try a.execute("UPDATE customer SET name = 'short' WHERE id = 3")
                    let healed = try await world.reopen(a, link: .direct(world.hub))
                    try await healed.replica.sync()
                    #expect(try await world.differences(healed) == [])
                }
            }
        }

        @Test(arguments: [nil, "another secret than the one of the server"])
        func `a wrong secret`(secret: String?) async throws {
            try await World.run(.sqlite, .http, schema: Self.schema) { world in
                let a = try await world.clone("A")
                try a.execute("UPDATE customer SET name = 'edited' WHERE id = 1")
                let wrong = try await world.reopen(a, link: .http(world.url, secret: secret))
                let before = try await wrong.state()
                let central = try await world.centreState()
                let error = try await Self.replicaError { try await wrong.replica.sync() }
                #expect(error.code.rawValue == "unauthorized")
                #expect(error.recovery == .signIn)
                #expect(secret.map { error.message.contains($0) } != true)
                #expect(try await wrong.state() == before)
                #expect(try await world.centreState() == central)
                let right = try await world.reopen(a)
                try await right.replica.sync()
                #expect(try await world.differences(right) == [])
            }
        }
    #endif

    @Test func `a server that is not there`() async throws {
        try await World.run(.sqlite, schema: Self.schema) { world in
            let a = try await world.clone("A")
            try a.execute("UPDATE customer SET name = 'edited' WHERE id = 1")
            let nobody = try ClosedPort()
            let url = try #require(URL(string: "http://127.0.0.1:\(nobody.number)"))
            let lonely = try await world.reopen(
                a, link: .http(url, secret: World.secret), tables: ["customer", "orders"])
            let before = try await lonely.state()
            let error = try await Self.replicaError { try await lonely.replica.sync() }
            #expect(error.code.rawValue == "unreachable")
            withExtendedLifetime(nobody) {}
            guard case .retry = error.recovery else {
                Issue.record("it would not try again: \(error.recovery)")
                return
            }
            #expect(try await lonely.state() == before)
        }
    }
}
