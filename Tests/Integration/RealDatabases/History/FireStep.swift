import MoorageTesting

/// One step of a history.
enum FireStep {
    case edit(device: Int, statements: Int, seed: UInt64)
    case office(statements: Int)
    case wait(milliseconds: Int)
    case killClient(Int)
    case killServer(Int)
    case killDatabase
    case killSession
    case revive
    case disturb(TCPProxy.Fault)
    case heal
    case hold(changesShared: Bool)
    case release(commits: Bool)
    case join
}

extension FireStep {
    /// Carries out the step. The seed fixes the steps, but the machine's speed decides how far each
    /// process has come by then.
    func run(in world: FireWorld) async throws {
        switch self {
        case .edit(let device, let statements, let seed):
            try world.edit(
                device: device, statements: statements, random: SeededGenerator(seed: seed))
        case .office(let statements): world.editInOffice(statements: statements)
        case .wait(let milliseconds): try await Task.sleep(for: .milliseconds(milliseconds))
        case .killClient(let number): try await world.killClient(number)
        case .killServer(let number): await world.killServer(number)
        case .killDatabase: world.killDatabase()
        case .killSession: world.killSession()
        case .revive: try await world.revive()
        case .disturb(let fault): world.disturb(fault)
        case .heal: world.proxy.heal()
        case .hold(let changesShared): world.hold(changesShared: changesShared)
        case .release(let commits): world.office.release(commits: commits)
        case .join: try world.join()
        }
    }
}

/// A history that a seed generates: the world's settings, and the steps.
struct FireHistory {
    let seed: UInt64
    let settings: FireWorld.Settings
    let steps: [FireStep]

    init(seed: UInt64, length: Int) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        var settings = FireWorld.Settings()
        settings.devices = Int.random(in: 3...5, using: &random)
        settings.servers = random.chance(40) ? 2 : 1
        settings.pageRows = random.pick([7, 40, 1_000]) ?? 1_000
        settings.batchRows = random.pick([3, 25, 5_000]) ?? 5_000
        self.settings = settings
        var steps: [FireStep] = []
        var joined = 0
        while steps.count < length {
            let step = Self.step(&random)
            if case .join = step {
                joined += 1
                guard joined == 1 else { continue }
            }
            steps.append(step)
        }
        self.steps = steps
    }

    private static func step(_ random: inout SeededGenerator) -> FireStep {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<26:
            .edit(
                device: Int.random(in: 0..<60, using: &random),
                statements: Int.random(in: 1...8, using: &random), seed: random.next())
        case 26..<36: .office(statements: Int.random(in: 1...6, using: &random))
        case 36..<56: .wait(milliseconds: Int.random(in: 5...220, using: &random))
        case 56..<66: .killClient(Int.random(in: 0..<60, using: &random))
        case 66..<70: .killServer(Int.random(in: 0..<2, using: &random))
        case 70..<72: .killDatabase
        case 72..<74: .killSession
        case 74..<82: .revive
        case 82..<90: .disturb(fault(&random))
        case 90..<94: .heal
        case 94..<96: .hold(changesShared: random.chance(40))
        case 96..<98: .release(commits: random.chance(80))
        default: .join
        }
    }

    private static func fault(_ random: inout SeededGenerator) -> TCPProxy.Fault {
        let direction: TCPProxy.Direction = random.chance(50) ? .up : .down
        return switch Int.random(in: 0..<6, using: &random) {
        case 0: .cut
        case 1: .cutAfter(bytes: Int.random(in: 1...6_000, using: &random), direction)
        case 2: .pause(direction)
        case 3: .drop(direction)
        case 4: .delay(milliseconds: Int.random(in: 1...40, using: &random))
        default: .halfClose(direction)
        }
    }
}
