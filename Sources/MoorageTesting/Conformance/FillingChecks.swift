import MoorageCore
import MoorageHub

/// Tables that already contain rows when they are attached (docs/decisions/0035).
extension ConnectorConformance {
    static let fillingChecks: [Check] = [
        Check("Existing rows get tracking rows in batches, while others write") { bench in
            try bench.owner.execute(ConformanceBench.schema)
            try bench.insertParents(1...9)
            var statements = [
                "DELETE FROM parent WHERE id = 'p9'; INSERT INTO parent (id, name) VALUES ('p0', 'n')",
                "UPDATE parent SET id = 'p7b' WHERE id = 'p7'; DELETE FROM parent WHERE id = 'p1'",
                "INSERT INTO parent (id, name) VALUES ('p9', 'again'), ('q', 'n')",
            ]
            try bench.attachInBatches {
                if !statements.isEmpty { try bench.owner.execute(statements.removeFirst()) }
            }
            try bench.expect(statements.isEmpty, "there were three batches at least")
            try bench.expectTrackedAsStored()
        },
        Check("An attach that broke off is finished by the next, and leaves no number twice") {
            bench in
            try bench.owner.execute(ConformanceBench.schema)
            try bench.insertParents(1...9)
            struct Broken: Error {}
            var batches = 0
            do {
                try bench.attachInBatches {
                    batches += 1
                    if batches == 3 { throw Broken() }
                }
                throw ConformanceFailure(description: "nothing broke off")
            } catch is Broken {}
            try bench.expect(
                bench.connection { try $0.attachedTables().allSatisfy { $0.name != "parent" } },
                "the hub does not serve it yet")
            try bench.owner.execute("DELETE FROM parent WHERE id = 'p2'")
            try bench.insertParents(20...21)
            // An attach with another list of tables removes what was begun.
            try bench.attach(["child"])
            try bench.insertParents(30...31)
            try bench.attach()
            try bench.expectTrackedAsStored()
            let numbers = try bench.connection { try $0.attachedTables().map(\.number) }
            try bench.expect(Set(numbers).count == numbers.count, "each has its own number")
        },
        Check("Detaching takes away what an attach that broke off has begun") { bench in
            try bench.owner.execute(ConformanceBench.schema)
            try bench.insertParents(1...9)
            struct Broken: Error {}
            do { try bench.attachInBatches { throw Broken() } } catch is Broken {}
            try bench.detach()
            try bench.insertParents(20...21)
            try bench.owner.execute("DELETE FROM parent")
            try bench.expect(
                try !bench.connection { try $0.hasMetadata() }, "nothing of ours is left")
            try bench.attach()
            try bench.expectTrackedAsStored()
        },
    ]
}
