import MoorageCore
import MoorageWire

/// Pushes a batch, unit by unit.
struct BatchPush {
    let context: PushContext

    /// - Returns: `nil` if the batch names tables or columns that are not there any more.
    func run() async throws -> [Outcome]? {
        let schema = context.schema
        guard let all = context.batch.pushed(in: schema) else { return nil }
        context.unmadeReferences = try await context.store.write {
            try $0.unmadeReferences(schema)
        }
        let (sendable, broken) = try await context.sendable(all)
        var changes = sendable
        let refused = refusedGroups(changes)
        for place in changes.indices where refused.contains(changes[place].index) {
            changes[place].content = .question
        }
        let parents = try await parents(of: changes)
        let units = PushUnits(changes, schema) { place, key in
            parents[RowName(table: schema.table(at: place).name, key: key)]
        }
        for orphan in units.orphans { context.leaveOut(orphan) }
        for unit in units.units {
            for change in unit.changes
            where change.isInsert && schema.table(at: change.place).ids == .server {
                context.unmade.insert(
                    RowName(table: schema.table(at: change.place).name, key: change.key))
            }
        }
        // A row that was refused and is sent again is the one that they refer to.
        context.unmadeReferences = context.unmadeReferences.filter {
            !context.unmade.contains($0.parent)
        }
        try await push(units.units)
        try await context.rememberUnmade(changes)
        var outcomes = context.allOutcomes
        for index in broken { outcomes[index] = Outcome(kind: .refused(.groupBroken)) }
        for index in refused { outcomes[index] = Outcome(kind: .refused(.groupUnsupported)) }
        return outcomes
    }

    /// Groups whose changes would take several requests. The server could take one and refuse the
    /// next.
    private func refusedGroups(_ changes: [PushedChange]) -> Set<Int> {
        let units = PushUnits(changes, context.schema) { _, _ in nil }
        var groups: [Int: Set<Int>] = [:]
        for (number, unit) in units.units.enumerated() {
            for change in unit.changes {
                if let group = change.group { groups[group, default: []].insert(number) }
            }
        }
        return Set(
            changes.filter { ($0.group.flatMap { groups[$0]?.count } ?? 0) > 1 }.map(\.index))
    }

    /// The parents of the elements that a change names by their keys alone.
    private func parents(of changes: [PushedChange]) async throws -> [RowName: RowKey] {
        let names = changes.filter { $0.place.child != nil && $0.values == nil }.map {
            RowName(table: context.schema.table(at: $0.place).name, key: $0.key)
        }
        if names.isEmpty { return [:] }
        return try await context.store.write { records in
            var parents: [RowName: RowKey] = [:]
            for name in names {
                parents[name] = try records.row(name)?.parent.flatMap(RESTRecords.key)
            }
            return parents
        }
    }

    // MARK: Requests

    private typealias Run = [(work: UnitWork, request: PreparedRequest)]

    private func push(_ units: [PushUnit]) async throws {
        var run: Run = []
        for unit in units {
            try Task.checkCancellation()
            let batch = context.schema.models[unit.model].settings.batch
            let last = run.last?.work.original
            if last?.model != unit.model || run.count >= max(1, batch?.maximum ?? 1)
                || refers(unit, to: run)
            {
                try await flush(&run)
            }
            let work = UnitWork(unit, context)
            guard let request = try await work.next() else {
                try await finish(work)
                continue
            }
            run.append((work, request))
            if batch == nil { try await flush(&run) }
        }
        try await flush(&run)
    }

    /// Whether a unit needs the key of a row that is about to be sent.
    private func refers(_ unit: PushUnit, to run: Run) -> Bool {
        let schema = context.schema
        let new = Set(
            run.flatMap { work, _ in
                work.original.changes.filter(\.isInsert).map {
                    RowName(table: schema.table(at: $0.place).name, key: $0.key)
                }
            })
        if new.isEmpty { return false }
        return unit.changes.contains { change in
            guard let values = change.values else { return false }
            let table = schema.table(at: change.place).description
            return table.referredKeys(of: values, in: schema).contains(where: new.contains)
        }
    }

    private func flush(_ run: inout Run) async throws {
        guard let first = run.first else { return }
        defer { run = [] }
        guard run.count > 1, let batch = first.work.model.settings.batch else {
            for (work, request) in run {
                try await work.received(context.send(request, for: work))
                try await complete(work)
            }
            return
        }
        var failure: HubError?
        for (answer, (work, _)) in zip(try await context.send(run, in: batch), run) {
            switch answer {
            case .success(let answer):
                try await work.received(answer)
                try await complete(work)
            // The others have their answers all the same.
            case .failure(let error): failure = error
            }
        }
        if let failure { throw failure }
    }

    private func complete(_ work: UnitWork) async throws {
        while let request = try await work.next() {
            try await work.received(context.send(request, for: work))
        }
        try await finish(work)
    }

    private func finish(_ work: UnitWork) async throws {
        guard let result = work.result else { return }
        try await context.finish(work.original, result)
    }
}
