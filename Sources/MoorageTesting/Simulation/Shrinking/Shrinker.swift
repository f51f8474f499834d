import MoorageCore

/// Shortens a failing history: it removes parts as long as the history still breaks the same
/// promise.
package struct Shrinker {
    private let isStillBroken: (History) -> Bool
    private let budget: Int
    private var runs = 0

    /// - Parameters:
    ///   - violation: What the history breaks; a shorter one must break the same.
    ///   - budget: How many histories it tries at most.
    package init(_ violation: Violation, budget: Int = 3000) {
        self.init(budget: budget) { Simulation.run($0).violation?.isLike(violation) ?? false }
    }

    init(budget: Int, isStillBroken: @escaping (History) -> Bool) {
        self.budget = budget
        self.isStillBroken = isStillBroken
    }

    /// The shortest history that it finds.
    package mutating func shrink(_ history: History) -> History {
        var best = history
        var size = Self.size(best)
        while runs < budget {
            shrinkSteps(&best)
            shrinkEvents(&best)
            shrinkStatements(&best)
            shrinkWorld(&best)
            let now = Self.size(best)
            if now >= size { break }
            size = now
        }
        return best
    }

    private static func size(_ history: History) -> Int { history.text.utf8.count }

    private mutating func isBroken(_ history: History) -> Bool {
        guard runs < budget else { return false }
        runs += 1
        return isStillBroken(history)
    }

    // MARK: Delta debugging

    /// Removes pieces of a list, large ones first, as long as the history still fails.
    private mutating func reduce<Element>(
        _ elements: [Element], _ rebuild: ([Element]) -> History
    ) -> [Element] {
        var kept = elements
        var piece = max(1, kept.count / 2)
        while !kept.isEmpty, runs < budget {
            var start = 0
            var isShorter = false
            while start < kept.count {
                let end = min(kept.count, start + piece)
                let rest = Array(kept[..<start] + kept[end...])
                if isBroken(rebuild(rest)) {
                    kept = rest
                    isShorter = true
                } else {
                    start = end
                }
            }
            if piece > 1 {
                piece /= 2
            } else if !isShorter {
                break
            }
        }
        return kept
    }

    private mutating func shrinkSteps(_ best: inout History) {
        let history = best
        // Removes faults first, because a history with fewer faults is easier to read.
        let faults = history.steps.filter(\.isFault)
        let kept = reduce(faults) { faults in
            let left = Set(faults)
            return History(
                world: history.world,
                steps: history.steps.filter { !$0.isFault || left.contains($0) })
        }
        let left = Set(kept)
        let steps = history.steps.filter { !$0.isFault || left.contains($0) }
        best.steps = reduce(steps) { History(world: history.world, steps: $0) }
    }

    private mutating func shrinkEvents(_ best: inout History) {
        for index in best.steps.indices {
            guard case .exchange(let device, let events) = best.steps[index].action, !events.isEmpty
            else { continue }
            let history = best
            let kept = reduce(events) { events in
                var shorter = history
                shorter.steps[index].action = .exchange(device: device, events)
                return shorter
            }
            best.steps[index].action = .exchange(device: device, kept)
        }
    }

    private mutating func shrinkStatements(_ best: inout History) {
        for index in best.steps.indices {
            guard let sql = best.steps[index].action.sql, let parts = Self.statements(sql) else {
                continue
            }
            let history = best
            func with(_ parts: [String]) -> History {
                var shorter = history
                shorter.steps[index].action = shorter.steps[index].action.with(
                    sql: parts.joined(separator: "; "))
                return shorter
            }
            let kept = reduce(parts, with)
            if !kept.isEmpty, kept.count < parts.count { best = with(kept) }
        }
    }

    /// The statements of a transaction; `nil` when there is only one, or when a text contains a
    /// semicolon.
    private static func statements(_ sql: String) -> [String]? {
        var parts: [String] = []
        var left = sql
        while let (part, rest) = left.split(at: "; ") {
            parts.append(part)
            left = rest
        }
        parts.append(left)
        return parts.count > 1 && parts.allSatisfy { $0.filter { $0 == "'" }.count % 2 == 0 }
            ? parts : nil
    }

    private mutating func shrinkWorld(_ best: inout History) {
        shrinkDevices(&best)
        shrinkLines(&best, \.schema)
        shrinkLines(&best, \.centralOnly)
        shrinkLines(&best, \.rows)
        var plain = best
        plain.world.pageRows = 5000
        plain.world.pages = 8
        plain.world.batchRows = 5000
        if plain != best, isBroken(plain) { best = plain }
        for index in best.world.devices.indices {
            var calm = best
            calm.world.devices[index].clockOffset = 0
            calm.world.devices[index].clockDrift = 0
            if calm != best, isBroken(calm) { best = calm }
        }
        for table in best.world.rules.keys.sorted() {
            var fewer = best
            fewer.world.rules[table] = nil
            if isBroken(fewer) { best = fewer }
            shrinkOptions(of: table, &best)
        }
        for table in best.world.columns.keys.sorted() {
            var fewer = best
            fewer.world.columns[table] = nil
            if isBroken(fewer) { best = fewer }
        }
        var unasked = best
        unasked.world.onRequest = []
        if unasked != best, isBroken(unasked) { best = unasked }
        for table in best.world.rights.keys.sorted() {
            var fewer = best
            fewer.world.rights[table] = nil
            if isBroken(fewer) { best = fewer }
        }
    }

    private mutating func shrinkOptions(of table: String, _ best: inout History) {
        let usual = TableRules()
        let steps: [(inout TableRules) -> Void] = [
            { $0.updateOfDeleted = usual.updateOfDeleted }, { $0.softDelete = nil },
            { $0.keyBlock = nil },
            { $0.columns = [:] }, { $0.rule = usual.rule },
        ]
        for step in steps {
            guard var rules = best.world.rules[table] else { return }
            step(&rules)
            var fewer = best
            fewer.world.rules[table] = rules
            if fewer != best, isBroken(fewer) { best = fewer }
        }
    }

    private mutating func shrinkLines(
        _ best: inout History, _ path: WritableKeyPath<SimulatedWorld, [String]>
    ) {
        let history = best
        best.world[keyPath: path] = reduce(history.world[keyPath: path]) { lines in
            var shorter = history
            shorter.world[keyPath: path] = lines
            return shorter
        }
    }

    /// Removes devices that the failure does not need. The devices behind them move up.
    private mutating func shrinkDevices(_ best: inout History) {
        for number in (1...max(1, best.world.devices.count)).reversed()
        where best.world.devices.count > 1 {
            guard best.world.devices.indices.contains(number - 1) else { continue }
            var shorter = best
            shorter.world.devices.remove(at: number - 1)
            shorter.steps = shorter.steps.compactMap { step in
                step.action.without(device: number).map { Step(at: step.at, $0) }
            }
            if isBroken(shorter) { best = shorter }
        }
    }
}
