#if Server
    import MoorageCore
    import MoorageHub
    import MoorageServer
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageConfiguration

    @Suite(.ownThreads) struct `The configuration file` {
        private func parse(
            _ text: String, _ environment: [String: String] = [:]
        ) throws(CommandFailure) -> MoorageConfiguration {
            try .parse(text, file: "moorage.yaml", environment: environment)
        }

        private func mistake(
            _ text: String, _ environment: [String: String] = [:]
        ) -> CommandFailure? {
            do {
                _ = try parse(text, environment)
                return nil
            } catch {
                return error
            }
        }

        @Test(arguments: ["", "\n\n", "# nothing\n", "---\n"])
        func `may be empty`(text: String) throws {
            #expect(try parse(text).listen == ListenAddress(host: "127.0.0.1", port: 8080))
        }

        @Test func `does not repeat what is no address, for it may hold a password`() {
            let failure = mistake("database: postgres:/hub:${PASSWORD}@db", ["PASSWORD": "hunter2"])
            #expect(failure?.description.contains("hunter2") == false)
        }

        @Test func `says how answers stay open`() throws {
            #expect(try parse("").hub.live == LivePolicy())
            #expect(try parse("live: false").hub.live.isGranted == false)
            let live = try parse("live: {interval: 50ms, heartbeat: 2s, life: 10m}").hub.live
            #expect(live.interval == .milliseconds(50) && live.heartbeat == .seconds(2))
            #expect(live.maximumLife == .seconds(600) && live.isGranted)
            for text in ["live: false", "live: {interval: 50ms, heartbeat: 2s, life: 10m}"] {
                let once = try parse(text)
                #expect(try parse(once.yaml).live == once.live)
            }
            #expect(try parse("limits: {streams: 7}").serverLimits.maximumStreams == 7)
        }

        @Test func `sets everything`() throws {
            let text = """
                database: postgres://hub:${PASSWORD}@db/shop
                listen: 127.0.0.1:9000
                secret: ${SECRET}
                allowPlainHTTP: true
                rest: true
                cors: [https://app.example.com, "http://localhost:5173"]
                tables:
                  customers:
                  orders:
                    rule: server
                    scope: none
                    direction: both
                    granularity: column
                    columns:
                      freight: {rule: client}
                      note: {sync: true, direction: both}
                limits:
                  batchRows: 1_000
                  pageRows: 10
                  connections: 20
                  idleTimeout: 200ms
                  restTimeout: 5s
                """
            let result = try parse(
                text, ["PASSWORD": "p@ss", "SECRET": "0123456789abcdef"])
            #expect(result.database?.address == .postgres(url: "postgres://hub:p@ss@db/shop"))
            #expect(result.listen == ListenAddress(host: "127.0.0.1", port: 9000))
            #expect(result.secret?.text == "0123456789abcdef")
            #expect(result.allowPlainHTTP)
            #expect(result.answersREST)
            #expect(
                result.crossOrigins.map(\.description)
                    == ["https://app.example.com", "http://localhost:5173"])
            #expect(result.tables?.map(\.name) == ["customers", "orders"])
            #expect(result.hub.rules["customers"] == TableRules())
            #expect(
                result.hub.rules["orders"]
                    == TableRules(rule: .server, columns: ["freight": .client]))
            #expect(result.hubLimits.maximumBatchRows == 1_000)
            #expect(result.pages.maximumRows == 10)
            #expect(result.serverLimits.maximumConnections == 20)
            #expect(result.serverLimits.idleTimeout == .milliseconds(200))
            #expect(result.serverLimits.restTimeout == .seconds(5))
        }

        @Test func `names rules, what becomes of deletes, and classes of replicas`() throws {
            let text = """
                tables:
                  stock:
                    rule: keepBoth
                    deletes: client
                    updatesOfDeleted: resurrect
                    softDelete: gone_at
                    time: updated_at
                    columns:
                      count: {rule: add}
                      best: {rule: {sql: "greatest(mine, theirs)"}}
                      note: {rule: {merge: text}}
                  prices: {rule: server, granularity: row}
                  invoices: {inserts: server, keyBlock: 500}
                classes:
                  supervisors: {priority: 10, replicas: [a, b]}
                """
            let settings = try parse(text)
            #expect(
                settings.hub.rules["stock"]
                    == TableRules(
                        rule: .keepBoth,
                        columns: [
                            "count": .add,
                            "best": .expression(RuleExpression("greatest(mine, theirs)")),
                            "note": .text,
                        ], deletes: .client, updateOfDeleted: .resurrect, softDelete: "gone_at",
                        time: "updated_at"))
            #expect(settings.hub.rules["prices"] == TableRules(rule: .server, granularity: .row))
            #expect(
                settings.hub.rules["invoices"] == TableRules(inserts: .server, keyBlock: 500))
            #expect(
                settings.hub.classes == [
                    ReplicaClass(name: "supervisors", priority: 10, replicas: ["a", "b"])
                ])
            let back = try parse(settings.yaml)
            #expect(back.tables == settings.tables && back.classes == settings.classes)
        }

        @Test(arguments: [
            ("databse: x", 1, "database"), ("listen: 127.0.0.1:1\nsecrt: x", 2, "secret"),
            ("tables:\n  orders:\n    rul: server", 3, "rule"),
            ("limits:\n  batchrows: 1", 2, "batchRows"),
            ("tables:\n  orders:\n    columns:\n      a: {rulle: server}", 4, "rule"),
        ])
        func `names an unknown key's line and the nearest key`(
            text: String, line: Int, nearest: String
        ) throws {
            let failure = try #require(mistake(text))
            #expect(failure.place == "moorage.yaml:\(line)")
            #expect(failure.next?.contains("`\(nearest)`") == true)
            #expect(failure.exit == .configuration)
        }

        @Test func `lists the keys when none is near`() throws {
            let failure = try #require(mistake("zzzzzzzz: 1"))
            #expect(failure.next?.contains("database, listen") == true)
        }

        @Test(arguments: [
            "listen: 8080", "listen: [1]", "rest: maybe", "cors: https://App.example.com",
            "cors: https://app.example.com/", "cors: app.example.com", "secret: short",
            "allowPlainHTTP: yes please",
            "tables: orders", "tables: {}", "tables:", "tables:\n  orders: {rule: newst}",
            "tables: {orders: {granularity: table}}", "tables: {orders: {deletes: add}}",
            "tables: {orders: {inserts: add}}", "tables: {orders: {keyBlock: 0}}",
            "tables: {orders: {updatesOfDeleted: keep}}", "tables: {orders: {rule: {sql: 1}}}",
            "tables: {orders: {rule: {sql: 'mine; theirs'}}}", "tables: {orders: {rule: {}}}",
            "tables: {orders: {rule: {handler: mine}}}", "tables: {orders: {rule: {merge: nine}}}",
            "classes: {a: {priority: 1}}", "classes: {a: {priority: x, replicas: []}}",
            "classes: {a: {priority: 1, replicas: b}}", "classes: {a: {replicas: [b]}}",
            "live: {heartbeat: 13s}", "live: {heartbeat: 10ms}", "live: {interval: 2m}", "live: on",
            "live: {beat: 1s}", "limits: {streams: 0}", "limits: {batchRows: 0}",
            "limits: {batchRows: many}", "limits: {idleTimeout: 30}", "limits: {restTimeout: 0s}",
            "limits: {batchBytes: 8000001}", "limits: {pageBytes: 8000001}",
            "limits: {bodyBytes: 15999999}", "limits: {bodyBytes: 2000000000}",
            "database: sqlserver://x", "database:", "database: sqlite:", "- a", "just text",
            "a: b: c", "a: 'x", "listen: 127.0.0.1:1\nlisten: 127.0.0.1:2", "\"\\ud800\": 1",
            "? [a]\n: b", "secret: ${", "secret: ${A B}", "*x", "\u{0}",
        ])
        func `names every mistake with its place`(text: String) throws {
            let failure = try #require(mistake(text))
            #expect(failure.place?.hasPrefix("moorage.yaml") == true)
            #expect(failure.exit == .configuration)
        }

        @Test(arguments: TableDirection.allCases)
        func `takes a direction, and prints it so that it is read again`(
            direction: TableDirection
        ) throws {
            let result = try parse("tables: {orders: {direction: \(direction.rawValue)}}")
            #expect(result.hub.directions == ["orders": direction])
            #expect(try parse(result.yaml).hub.directions == ["orders": direction])
        }

        @Test func `suggests the nearest direction`() throws {
            let failure = try #require(mistake("tables: {orders: {direction: donw}}"))
            #expect(failure.next == "Did you mean `down`?")
        }

        @Test func `suggests the nearest rule`() throws {
            let failure = try #require(mistake("tables:\n  orders:\n    rule: sever"))
            #expect(failure.next == "Did you mean `server`?")
            #expect(failure.place == "moorage.yaml:3")
        }

        @Test func `names a variable that the environment does not have`() throws {
            let failure = try #require(mistake("listen: 127.0.0.1:1\nsecret: ${NO_SUCH}"))
            #expect(failure.what.contains("NO_SUCH"))
            #expect(failure.place == "moorage.yaml:2")
        }

        @Test func `never repeats a secret in a message`() throws {
            let texts = [
                "secret: tooShortSecret", "database: sqlserver://u:tooShortSecret@h",
                "database: http://u:tooShortSecret@h",
            ]
            for text in texts {
                let failure = try #require(mistake(text))
                #expect(!failure.description.contains("tooShortSecret"))
            }
        }

        @Test(arguments: [
            "listen: \"nowhere\n  secret: ${SECRET}\"", "listen: ${SECRET}",
            "secret: ${SECRET}\ntables: 1",
            "tables: {a: {rule: \"${SECRET}\"}}", "database: ${SECRET}",
            "allowPlainHTTP: ${SECRET}",
            "limits: {pages: \"${SECRET}\"}", "limits: {idleTimeout: \"${SECRET}\"}",
        ])
        func `never tells what a variable holds`(text: String) throws {
            let failure = try #require(mistake(text, ["SECRET": "the:value-of-the-variable"]))
            #expect(!failure.description.contains("the:value-of-the-variable"))
        }

        @Test func `prints itself so that it reads back, without secrets`() throws {
            let text = """
                database: postgres://hub:tooSecretToTell@db/shop?password=tooSecretToTell&a=b
                secret: tooSecretToTell0123456
                tables:
                  "odd: name":
                    rule: client
                    columns: {"a\\"b": {rule: server}, "true": {rule: newest}, "${x}": {rule: client}}
                live: {interval: 250ms, heartbeat: 5s, life: 30m}
                limits: {pageRows: 7, streams: 20, idleTimeout: 1500ms, restTimeout: 2m,
                  retentionDays: 30, conflictDays: 400}
                """
            let settings = try parse(text)
            let printed = settings.yaml
            #expect(!printed.contains("tooSecretToTell"))
            let back = try parse(
                printed.replacing("<secret>", with: "another-secret-0123"))
            #expect(back.tables == settings.tables)
            #expect(back.tables?.first?.rules.columns["${x}"] == .client)
            #expect(back.pages.maximumRows == 7)
            #expect(back.serverLimits == settings.serverLimits)
            #expect(back.hubLimits == settings.hubLimits)
            #expect(back.retentionDays == 30)
            #expect(back.conflictDays == 400)
        }

        @Test func `prints what came into the database's address from a variable by its name`()
            throws
        {
            let environment = ["NAME": "u:tooSecret", "PASSWORD": "tooSecret"]
            for (text, printed) in [
                (
                    "user:${PASSWORD}@host:5432/${PASSWORD}db",
                    "user:${PASSWORD}@host:5432/${PASSWORD}db"
                ),
                ("${NAME}andMore@host/db", "${NAME}***@host/db"),
                ("u:half${PASSWORD}half@host/db", "u:***${PASSWORD}***@host/db"),
                ("u:$${tooSecret?@host/$${db", "u:***@host/$${db"),
                (
                    "host/db?password=tooSecret&b=1&password=tooSecret",
                    "host/db?password=***&b=1&password=***"
                ),
                ("u:tooSecret?password=tooSecret@host", "u:***"),
                ("u:tooSecret@\u{301}host", "u:***@\u{301}host"),
            ] {
                let settings = try parse("database: \"postgres://\(text)\"", environment)
                #expect(settings.yaml.hasPrefix("database: \"postgres://\(printed)\"\n"))
                #expect(try parse(settings.yaml, environment).yaml == settings.yaml)
            }
        }

        @Test func `prints what can be read again, whatever it holds`() throws {
            for text in ["", "listen: \"$${x:80\"", "database: \"sqlite:$${x\""] {
                let printed = try parse(text).yaml
                #expect(try parse(printed).yaml == printed)
            }
        }

        @Test(arguments: [
            0x01, 0x09, 0x0A, 0x7F, 0x85, 0x91, 0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF,
            0x10FFFF,
        ])
        func `prints a name with what YAML takes for no text`(scalar: UInt32) throws {
            let name = "a\(try #require(Unicode.Scalar(scalar)))b"
            let escape =
                "\\U" + String(repeating: "0", count: 8 - String(scalar, radix: 16).count)
                + String(scalar, radix: 16)
            let settings = try parse("tables: {\"a\(escape)b\": {rule: client}}")
            #expect(settings.tables.map { $0.map(\.name) } == [name])
            #expect(try parse(settings.yaml).tables == settings.tables)
        }

        @Test func `prints every default`() throws {
            let printed = try parse("").yaml
            for line in [
                "listen: \"127.0.0.1:8080\"", "batchRows: 10000", "batchBytes: 8000000",
                "valueBytes: 16000000", "idleTimeout: 30s", "restTimeout: 30s",
                "centralConnections: 8",
            ] {
                #expect(printed.contains(line))
            }
        }
    }

    @Suite(.ownThreads) struct `A value from the environment` {
        private func apply(_ text: String) throws -> String {
            try Substitution(environment: ["A": "1", "B_2": "${A}", "C": "$"]).apply(to: text)
        }

        @Test func `stands where it is named`() throws {
            #expect(try apply("x${A}y${A}") == "x1y1")
            #expect(try apply("no") == "no")
            #expect(try apply("$A {A} $") == "$A {A} $")
        }

        @Test func `is not read again`() throws {
            #expect(try apply("${B_2}") == "${A}")
            #expect(try apply("${C}${A}") == "$1")
        }

        @Test func `can be written out`() throws { #expect(try apply("$${A}") == "${A}") }

        @Test(arguments: ["${", "${A", "${}", "${1}", "${A-b}", "${NO}"])
        func `must be there and have a name`(text: String) {
            #expect(throws: CommandFailure.self) { try apply(text) }
        }
    }

    @Suite(.ownThreads) struct `The nearest name` {
        @Test func `is the one with the fewest slips`() {
            let names = ["database", "listen", "secret", "tables"]
            #expect(NearestName.of("databse", among: names) == "database")
            #expect(NearestName.of("Tables", among: names) == "tables")
            #expect(NearestName.of("tabels", among: names) == "tables")
            #expect(NearestName.of("frequency", among: names) == nil)
            #expect(NearestName.of("", among: []) == nil)
        }

        @Test func `is measured in edits`() {
            #expect(NearestName.distance("kitten", "sitting") == 3)
            #expect(NearestName.distance("", "abc") == 3)
            #expect(NearestName.distance("abc", "") == 3)
        }
    }
#endif
