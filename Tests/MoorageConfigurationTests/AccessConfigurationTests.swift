#if Server
    import Foundation
    import MoorageCore
    import MoorageHub
    import MoorageServer
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageConfiguration

    @Suite(.ownThreads) struct `The configuration of who may come and what he gets` {
        private static let environment = [
            "TOKENS": "a secret of thirty-two bytes or more", "REPORTS": "an-api-key-of-reports",
        ]

        private func parse(_ text: String) throws(CommandFailure) -> MoorageConfiguration {
            try .parse(text, file: "moorage.yaml", environment: Self.environment)
        }

        private static let text = """
            signIn:
              issuer: https://id.example
              audience: moorage
              leeway: 1500ms
              keySet: {url: "https://id.example/keys", algorithm: RS256}
              keys:
                - {kid: dev, algorithm: HS256, secret: "${TOKENS}"}
                - {algorithm: ES256, file: keys/public.pem}
            apiKeys:
              reports: {key: "${REPORTS}", subject: robot, claims: {employee: [1, 2], roles: clerk}}
            tls: {certificate: keys/chain.pem, key: "keys/$${a}.pem", strictTransportDays: 7}
            trustedProxies: [10.0.0.0/8, "fd00::/8"]
            scopes:
              employee: claims.employee_id
              person: sub
              project: {sql: "SELECT project FROM member WHERE person = :sub"}
            roles: claims.groups
            audit: {days: 365}
            minimumClientVersion: 2.10
            tables:
              orders:
                scope: {employee: employee_id}
                unenforcedKeys: [manager, [a, b]]
                minimumClientVersion: 3.10
                key: [code, "line: 2"]
                columns:
                  salary: {sync: false}
                  grade: {direction: down}
                  note: {rule: server, sync: true, direction: both, file: false}
                  photo: {file: true}
                  scan: {direction: down, file: true}
                rights:
                  clerk: {may: [insert, update, move], columns: [note, price]}
                  boss: all
                  guest: none
                  reader: read
              lines: {key: number, scope: {through: order_id}}
              parts: {scope: {through: [a, b], where: {discontinued: false}}}
              documents:
                scope:
                  - {members: shares, person: user_id}
                  - {everyone: true, where: {published: true, "odd: name": "${REPORTS}"}}
                  - {project: project}
              products: {scope: none}
              catalog: {where: "discontinued = 0 and region = :region"}
              notes: {scope: {person: owner}, where: "NOT archived"}
              flyers: {scope: {everyone: true, where: "state IN ('a', '$${b}')"}}
            """

        @Test func `says scopes, columns, rights, tokens and keys`() throws {
            let settings = try parse(Self.text)
            let hub = settings.hub
            #expect(
                hub.scopes.rules["orders"] == [ScopeRule(.column(kind: "employee", "employee_id"))])
            #expect(hub.scopes.rules["lines"] == [ScopeRule(.through(["order_id"]))])
            #expect(
                hub.scopes.rules["parts"] == [
                    ScopeRule(.through(["a", "b"]), where: [.init("discontinued", is: "false")])
                ])
            #expect(
                hub.scopes.rules["documents"]?.first
                    == ScopeRule(.members(of: "shares", kind: "person", "user_id")))
            #expect(hub.scopes.rules["products"] == nil)
            let (current, kept, chosen) = (
                try RowFilter("discontinued = 0"), try RowFilter("NOT archived"),
                try RowFilter("state IN ('a', '${b}')")
            )
            #expect(
                hub.scopes.rules["catalog"] == [
                    ScopeRule(.column(kind: "region", "region"), filters: [current])
                ])
            #expect(hub.scopes.holdings["region"] == .claim("region"))
            #expect(
                hub.scopes.rules["notes"] == [
                    ScopeRule(.column(kind: "person", "owner"), filters: [kept])
                ])
            #expect(hub.scopes.rules["flyers"] == [ScopeRule(.everyone, filters: [chosen])])
            #expect(hub.scopes.unenforcedKeys["orders"] == [["manager"], ["a", "b"]])
            #expect(hub.scopes.holdings["employee"] == .claim("employee_id"))
            #expect(hub.scopes.holdings["person"] == .claim("sub"))
            #expect(
                hub.columns["orders"]
                    == ColumnSettings(
                        hidden: ["salary"], downOnly: ["grade", "scan"], files: ["photo", "scan"]))
            #expect(hub.rights.roleClaim == "groups")
            #expect(hub.minimumClientVersion == "2.10")
            #expect(hub.minimumClientVersions == ["orders": "3.10"])
            #expect(hub.keys == ["orders": ["code", "line: 2"], "lines": ["number"]])
            #expect(
                hub.rights.tables["orders"] == [
                    "clerk": TableRights(
                        insert: true, update: true, columns: ["note", "price"], move: true),
                    "boss": .all, "guest": .none, "reader": TableRights(),
                ])
            #expect(settings.signIn.tokens?.keys.map(\.id) == ["dev", nil])
            #expect(settings.signIn.tokens?.keySet?.source.algorithm == .rs256)
            #expect(settings.signIn.tokens?.leeway == .milliseconds(1_500))
            #expect(
                settings.signIn.apiKeys.first?.claims == [
                    "employee": ["1", "2"], "roles": ["clerk"],
                ])
        }

        @Test func `prints itself so that it reads back, without secrets`() throws {
            let settings = try parse(Self.text)
            let printed = settings.yaml
            for secret in Self.environment.values {
                #expect(!printed.contains("secret: \(secret)"))
            }
            #expect(!printed.contains("a secret of thirty-two"))
            let back = try parse(
                printed.replacing("<secret>", with: "another-secret-of-thirty-two-bytes"))
            #expect(back.tables == settings.tables && back.holdings == settings.holdings)
            #expect(back.roleClaim == settings.roleClaim && back.audit?.days == 365)
            #expect(back.minimumClientVersion == "2.10")
            #expect(back.signIn.tokens?.leeway == settings.signIn.tokens?.leeway)
            #expect(back.signIn.tokens?.keySet == settings.signIn.tokens?.keySet)
            #expect(back.signIn.tokens?.keys.map(\.id) == settings.signIn.tokens?.keys.map(\.id))
            #expect(back.signIn.apiKeys.map(\.claims) == settings.signIn.apiKeys.map(\.claims))
            #expect(back.signIn.apiKeys.map(\.subject) == ["robot"])
            #expect(back.tls == settings.tls && back.tls?.key == "keys/${a}.pem")
            #expect(back.tls?.strictTransportDays == 7)
            #expect(back.trustedProxies == settings.trustedProxies)
            #expect(back.trustedProxies.map(\.description) == ["10.0.0.0/8", "fd00::/8"])
        }

        @Test func `lets a kind under scopes say what a parameter is`() throws {
            let settings = try parse(
                """
                scopes: {region: {from: claims.area, onRequest: true}}
                tables:
                  a: {where: "region = :region"}
                  b: {where: "region IN (:region) AND owner IS NULL"}
                  c: {where: "owner = :sub"}
                """)
            #expect(
                settings.hub.scopes.holdings == ["region": .claim("area"), "sub": .claim("sub")])
            #expect(settings.hub.scopes.onRequest == ["region"])
            #expect(settings.tables?.allSatisfy(\.isRestricted) == true)
        }

        @Test func `names the line of a filter, and nothing of its text`() throws {
            let failure = #expect(throws: CommandFailure.self) {
                try parse("tables:\n  a:\n    where: \"b = ${REPORTS}\"")
            }
            #expect(failure?.place == "moorage.yaml:3")
            #expect(failure?.what.hasPrefix("`tables.a.where`: ") == true)
            #expect(failure?.what.contains("an-api-key") == false)
        }

        @Test func `restricts no table by saying which columns hold files`() throws {
            func isRestricted(_ column: String) throws -> Bool? {
                try parse("tables: {a: {columns: {b: \(column)}}}").tables?.first?.isRestricted
            }
            #expect(try isRestricted("{file: true}") == false)
            #expect(try isRestricted("{file: true, direction: down}") == true)
            #expect(try isRestricted("{sync: false}") == true)
        }

        /// The example of docs/reference/configuration.md is one that a program takes.
        @Test func `is documented as it is read`() throws {
            let document = try Repository.text("docs/reference/configuration.md")
            let example = try #require(
                document.components(separatedBy: "```yaml\n").last?
                    .components(separatedBy: "```").first)
            let settings = try MoorageConfiguration.parse(
                example, file: "moorage.yaml",
                environment: [
                    "PASSWORD": "p", "MOORAGE_SECRET": "0123456789abcdef",
                    "TOKEN_SECRET": "a secret of thirty-two bytes or more",
                    "REPORTS_KEY": "an-api-key-of-reports",
                    "WEBHOOK_SECRET": "another one of thirty-two bytes or more",
                ])
            #expect(settings.tables?.count == 4)
            #expect(settings.signIn.tokens?.keys.count == 2)
            #expect(settings.hub.rights.tables["orders"]?["boss"]?.move == true)
            #expect(settings.hub.scopes.onRequest == ["project"])
            #expect(settings.hub.minimumClientVersions == ["orders": "3.0"])
        }

        @Test(arguments: [
            "tables: {a: {scope: {employee: e}}}",
            "scopes: {employee: claims.e}",
            "scopes: {emplyee: claims.e}\ntables: {a: {scope: {employee: e}}}",
            "scopes: {e: claims.}\ntables: {a: {scope: {e: e}}}",
            "scopes: {e: id}\ntables: {a: {scope: {e: e}}}",
            "scopes: {e: {sql: SELECT 1}}\ntables: {a: {scope: {e: e}}}",
            "scopes: {e: {sql: \"SELECT :sub; DROP TABLE a\"}}\ntables: {a: {scope: {e: e}}}",
            "scopes: {\"e/f\": sub}\ntables: {a: {scope: {\"e/f\": e}}}",
            "tables: {a: {scope: some}}", "tables: {a: {scope: {}}}",
            "scopes: {e: sub, f: sub}\ntables: {a: {scope: {e: e, f: f}}}",
            "tables: {a: {scope: {through: b, everyone: true}}}",
            "tables: {a: {scope: {everyone: false}}}", "tables: {a: {scope: []}}",
            "tables: {a: {scope: {everyone: true, where: {}}}}", "tables: {a: {scope: }}",
            "scopes: {e: sub}\ntables: {a: {scope: {e: e, where: }}}",
            "scopes: {e: {sql: \"SELECT :claims.tenant-id\"}}\ntables: {a: {scope: {e: e}}}",
            "tables: {a: {where: }}", "tables: {a: {where: {b: 1}}}", "tables: {a: {where: \"\"}}",
            "tables: {a: {where: \"b = \"}}", "tables: {a: {where: [b, c]}}",
            "tables: {a: {scope: {everyone: true}, where: \"b = :c\"}}",
            "scopes: {e: sub}\ntables: {a: {scope: {e: e, where: \"b = :c\"}}}",
            "tables: {a: {rights: {clerk: {may: []}}}}",
            "tables: {a: {rights: {\"*\": read, guest: none}}}",
            "tables: {a: {rights: {\"${TOKENS}\": read}}}",
            "signIn: {issuer: i, audience: a, keySet: \"https://id/k\", leeway: 301s}",
            "signIn: {issuer: i, audience: a, keySet: \"https://u:p@id/k\"}",
            "tables: {a: {rights: {clerk: some}}}", "tables: {a: {rights: {clerk: {}}}}",
            "tables: {a: {rights: {clerk: {may: [write]}}}}",
            "tables: {a: {columns: {b: {direction: up}}}}",
            "tables: {a: {columns: {b: {sync: no}}}}", "roles: groups",
            "tables: {a: {columns: {b: {file: photo}}}}",
            "signIn: {issuer: i}", "signIn: {issuer: i, audience: a}",
            "signIn: {issuer: i, audience: a, keySet: \"http://id.example/keys\"}",
            "signIn: {issuer: i, audience: a, keys: [{algorithm: none}]}",
            "signIn: {issuer: i, audience: a, keys: [{algorithm: HS256, secret: short}]}",
            "signIn: {issuer: i, audience: a, keys: [{algorithm: HS256, file: f}]}",
            "signIn: {issuer: i, audience: a, keys: [{algorithm: RS256, secret: \"${TOKENS}\"}]}",
            "signIn: {issuer: i, audience: a, keys: [{kid: k, secret: \"${TOKENS}\"}]}",
            "audit: {}", "audit: {days: 0}", "audit: forever",
            "minimumClientVersion: v2", "minimumClientVersion: .5", "minimumClientVersion: ",
            "minimumClientVersion: [2]", "tables: {a: {minimumClientVersion: v2}}",
            "apiKeys: {r: {}}", "apiKeys: {r: {key: short}}",
            "tls: {certificate: c}", "tls: {key: k}", "tls: c.pem",
            "tls: {certificate: c, key: k, strictTransportDays: -1}",
            "trustedProxies: proxy.example",
            "trustedProxies: [10.0.0.1/8]",
        ])
        func `refuses what could let in or show more than was meant`(text: String) throws {
            let failure = #expect(throws: CommandFailure.self) { try parse(text) }
            #expect(failure?.exit == .configuration)
            #expect(failure?.place?.hasPrefix("moorage.yaml:") == true)
        }

        @Test(arguments: [
            ("trustedProxies: 10.0.0.1/8", "`trustedProxies`: "),
            ("trustedProxies: [10.0.0.0/8, 10.0.0.1/8]", "`trustedProxies[1]`: "),
            (
                "tables: {a: {rights: {clerk: {may: [insert, write]}}}}",
                "`tables.a.rights.clerk.may[1]`: "
            ),
        ])
        func `names the element of a list that is wrong`(text: String, path: String) throws {
            let failure = #expect(throws: CommandFailure.self) { try parse(text) }
            #expect(failure?.what.hasPrefix(path) == true, "\(failure?.what ?? "")")
        }
    }
#endif
