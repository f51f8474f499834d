import Foundation
import MoorageTesting
import TestSupport
import Testing

/// Client processes over HTTP, through a proxy that breaks things, against real servers on a real
/// database, everything ended and started again at random: at rest all are equal, nothing is lost,
/// nothing is doubled, nothing is left over.
@Suite(
    .ownThreads,
    .enabled(
        if: ChildProcess.command != nil && FireDevice.program != nil
            && OwnPostgres.programs != nil), .ownPostgres, .ownMariaDB, .serialized)
struct `Real databases under fire` {
    static let isNightly = WriterDatabase.isNightly
    static let environment = ProcessInfo.processInfo.environment

    /// A seed that was asked for is the only one that runs.
    static let wantedSeed = environment["MOORAGE_SEED"].flatMap { UInt64($0) }

    @Test func `histories on PostgreSQL`() async throws {
        let count = Self.count("MOORAGE_FIRE_HISTORIES", short: 2, nightly: 200)
        try await histories(count, "histories on PostgreSQL") { _ in
            try ServerCentre(try #require(OwnPostgres.current))
        }
    }

    @Test(.enabled(if: OwnMariaDB.program != nil))
    func `histories on MariaDB`() async throws {
        let count = Self.count("MOORAGE_FIRE_MARIADB_HISTORIES", short: 1, nightly: 200)
        try await histories(count, "histories on MariaDB") { _ in
            try MariaDBCentre(try #require(OwnMariaDB.current))
        }
    }

    @Test func `histories on a SQLite file`() async throws {
        let count = Self.count("MOORAGE_FIRE_FILE_HISTORIES", short: 1, nightly: 40)
        try await histories(count, "histories on a SQLite file") { FileCentre(folder: $0) }
    }

    private func histories(
        _ count: Int, _ name: String, _ make: (URL) throws -> any FireCentre
    ) async throws {
        let first = Self.wantedSeed ?? .random(in: 1...1_000_000_000)
        var report = FireReport()
        let start = ContinuousClock.now
        for number in 0..<(Self.wantedSeed == nil ? count : 1) {
            let seed = first + UInt64(number)
            let history = FireHistory(seed: seed, length: 60)
            let problems = try await Self.inFolder { folder in
                let centre = try make(folder)
                let problems = try await run(history, on: centre, folder, &report)
                // What broke off may have left it down.
                try await centre.start()
                try centre.drop()
                return problems
            }
            guard !problems.isEmpty else { continue }
            print(Self.story(history, problems, name))
            #expect(problems.isEmpty, "\(Self.replay(seed, name))")
        }
        print("fire: \(name): \(report) in \(ContinuousClock.now - start)")
    }

    private func run(
        _ history: FireHistory, on centre: any FireCentre, _ folder: URL, _ report: inout FireReport
    ) async throws -> [String] {
        do {
            return try await FireWorld.run(
                centre, seed: history.seed, settings: history.settings, folder: folder
            ) { world in
                for step in history.steps { try await step.run(in: world) }
                let problems = try await Self.problems(world)
                report.add(world, problems: problems)
                return problems
            }
        } catch { return ["seed \(history.seed) broke off: \(error)"] }
    }

    /// Brings a world to rest, and says what does not hold then.
    static func problems(_ world: FireWorld) async throws -> [String] {
        let unconverged = try await world.converge()
        let oracle = FireOracle(
            centre: world.centre, devices: world.devices, officeTokens: world.office.tokens)
        return try await unconverged + oracle.problems() + world.allProblems
    }

    // MARK: Support

    static func count(_ variable: String, short: Int, nightly: Int) -> Int {
        environment[variable].flatMap { Int($0) } ?? (isNightly ? nightly : short)
    }

    static func replay(_ seed: UInt64, _ name: String) -> String {
        "\(isNightly ? "MOORAGE_NIGHTLY=1 " : "")MOORAGE_SEED=\(seed) Scripts/test --filter '\(name)'"
    }

    private static func story(
        _ history: FireHistory, _ problems: [String], _ name: String
    ) -> String {
        """
        fire: \(problems.count) violations; again with: \(replay(history.seed, name))
        \(problems.prefix(20).map { "  \($0)" }.joined(separator: "\n"))
          in a world of \(history.settings), after
        \(history.steps.map { "  \($0)" }.joined(separator: "\n"))
        """
    }

    static func inFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let files = FileManager.default
        let folder = try ScratchFolder.make("fire")
        do {
            let result = try await body(folder)
            try files.removeFolder(at: folder)
            return result
        } catch {
            try files.removeFolder(at: folder)
            throw error
        }
    }
}
