#if Server
    import MoorageCore
    import MoorageHub
    import TestSupport
    import Testing

    @testable import MoorageConfiguration

    @Suite(.ownThreads) struct `The configuration of names in apps` {
        private func parse(_ text: String) throws(CommandFailure) -> MoorageConfiguration {
            try .parse(text, file: "moorage.yaml", environment: [:])
        }

        @Test func `is of tables and columns, and prints so that it reads back`() throws {
            let settings = try parse(
                """
                tables:
                  tblCust:
                    name: customers
                    renamedFrom: clients
                    columns:
                      cTitle: {name: "the title", renamedFrom: [name, label], rule: server}
                      note: {renamedFrom: remark}
                  tblNote: {name: "$${a}"}
                """)
            let hub = settings.hub
            #expect(
                hub.tableNames == [
                    "tblCust": AppNames(name: "customers", renamedFrom: ["clients"]),
                    "tblNote": AppNames(name: "${a}"),
                ])
            #expect(
                hub.columns["tblCust"]?.names == [
                    "cTitle": AppNames(name: "the title", renamedFrom: ["name", "label"]),
                    "note": AppNames(renamedFrom: ["remark"]),
                ])
            #expect(hub.columns["tblNote"] == nil)
            let back = try parse(settings.yaml)
            #expect(back.tables == settings.tables)
        }

        @Test(arguments: [
            "{name: \"\"}", "{name: \(String(repeating: "a", count: 64))}",
            "{renamedFrom: [a, \"\\0\"]}", "{renamedFrom: {a: b}}",
            "{renamedFrom: [\((0...16).map { "n\($0)" }.joined(separator: ", "))]}",
            "{columns: {a: {renamedFrom: [[a]]}}}",
        ])
        func `refuses what is no name, and too many names`(table: String) {
            let error = #expect(throws: CommandFailure.self) {
                try parse("tables:\n  t: \(table)\n")
            }
            #expect(error?.place?.hasPrefix("moorage.yaml:2") == true)
        }
    }
#endif
