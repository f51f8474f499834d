/// Which faults and which operations a history has, and how much of each: none, a little, or a lot.
///
/// A history with a little of everything finds little: a rare combination must be common in some
/// histories.
struct Swarm {
    enum Fault: CaseIterable {
        case lose, deaf, twice, cut, crashBetween, hubCrash, interrupt, interruptHub, interleave
        case editBetween, officeBetween
        case crash, backup, restore, copy, clock, hubClock, backupHub, restoreHub, redeliver
        case dropTriggers
        case busyHub, interleaveLost

        /// The faults of the random world: more of them would change the world of each seed.
        static let usual = allCases.filter { $0 != .busyHub && $0 != .interleaveLost }
    }

    enum Operation: CaseIterable {
        case insert, insertReplace, insertIgnore, upsert, updateText, updateNumber, updateReplace
        case updateReference, updateMany, rekey, delete, deleteMany, noop, swap, replaceSameKey
        case undoEdit, updateCapitals

        /// The operations of the random and the plain world: more of them would change the world of
        /// each seed.
        static let usual = allCases.filter { $0 != .undoEdit && $0 != .updateCapitals }
    }

    private var faults: [Fault: Int] = [:]
    private var operations: [(operation: Operation, weight: Int)] = []
    private var total = 0

    static func random(_ random: inout SeededGenerator) -> Swarm {
        var swarm = Swarm()
        let isQuiet = random.chance(12)
        for fault in Fault.usual {
            let weight = random.pick([0, 0, 1, 4]) ?? 0
            if !isQuiet { swarm.faults[fault] = weight }
        }
        for operation in Operation.usual {
            let usual = [.insert, .updateText].contains(operation)
            swarm.add(operation, random.pick(usual ? [3, 8, 16] : [0, 1, 2, 8]) ?? 1)
        }
        return swarm
    }

    /// Adds undone edits, and often restores the central database.
    static func narrow(_ random: inout SeededGenerator) -> Swarm {
        var swarm = Swarm.random(&random)
        swarm.add(.undoEdit, random.pick([2, 8]) ?? 2)
        if random.chance(40) {
            swarm.faults[.backupHub] = 4
            swarm.faults[.restoreHub] = 4
        } else if random.chance(50) {
            // Not both faults: a row that was sent without a number stays when the central database
            // is restored to that very checkpoint.
            swarm.faults[.restoreHub] = 0
            swarm.faults[.busyHub] = 4
        }
        return swarm
    }

    /// Edits in the middle of most exchanges, and several processes on one file.
    static func contended(_ random: inout SeededGenerator) -> Swarm {
        var swarm = Swarm.random(&random)
        for fault in [Fault.editBetween, .officeBetween] {
            swarm.faults[fault] = random.pick([1, 4, 8]) ?? 4
        }
        for fault in [Fault.interleave, .interleaveLost, .copy] {
            swarm.faults[fault] = random.pick([0, 2, 6]) ?? 0
        }
        for operation in [
            Operation.insert, .insertIgnore, .delete, .swap, .undoEdit, .updateCapitals,
        ] {
            swarm.add(operation, random.pick([0, 4, 8]) ?? 0)
        }
        return swarm
    }

    /// Leaves out what gives a value to a cell twice: restored and copied files, lost triggers, and
    /// rows that get other keys. The tables have no unique columns to replace or to swap.
    static func migrating(_ random: inout SeededGenerator) -> Swarm {
        let usual = Swarm.random(&random)
        var swarm = Swarm()
        swarm.faults = usual.faults
        for fault in [Fault.restore, .copy, .restoreHub, .dropTriggers] { swarm.faults[fault] = 0 }
        let left: Set<Operation> = [.rekey, .swap, .updateReplace, .updateReference]
        for (operation, weight) in usual.operations where !left.contains(operation) {
            swarm.add(operation, weight)
        }
        return swarm
    }

    /// Three tables, everyday statements, a network that loses one message in seven.
    static let plain: Swarm = {
        var swarm = Swarm()
        swarm.faults[.lose] = 3
        for operation in Operation.usual {
            swarm.add(
                operation,
                [.insert, .updateText].contains(operation)
                    ? 8 : [.swap, .replaceSameKey, .deleteMany].contains(operation) ? 0 : 2)
        }
        return swarm
    }()

    /// For the rows that exist before anything happens.
    static let insertsOnly: Swarm = {
        var swarm = Swarm()
        swarm.add(.insert, 1)
        return swarm
    }()

    private mutating func add(_ operation: Operation, _ weight: Int) {
        operations.append((operation, weight))
        total += weight
    }

    /// How much of a fault a history has; 0 for none.
    func weight(_ fault: Fault) -> Int { faults[fault] ?? 0 }

    func operation(_ random: inout SeededGenerator) -> Operation {
        var rest = Int.random(in: 0..<max(1, total), using: &random)
        for (operation, weight) in operations {
            if rest < weight { return operation }
            rest -= weight
        }
        return .insert
    }
}
