import Foundation
import MoorageTesting
import TestSupport
import Testing

/// Processes that end in the middle, with no chance to tidy up: after a restart everything
/// converges, nothing is doubled, nothing is lost.
@Suite(.ownThreads, .enabled(if: ChildProcess.command != nil), .serialized)
struct `Kills` {
    static let count = WriterDatabase.isNightly ? 50 : 5

    enum Victim: String, CaseIterable, CustomTestStringConvertible {
        case client, server
        var testDescription: String { rawValue }
    }

    @Test(arguments: Victim.allCases)
    func `on a central SQLite file`(victim: Victim) async throws {
        try await inFolder { folder in
            try await kill(victim, try KillableSQLite(folder: folder), "SQLite", folder)
        }
    }

    @Test(.enabled(if: WriterDatabase.isThere), arguments: Victim.allCases)
    func `on PostgreSQL`(victim: Victim) async throws {
        try await inFolder { folder in
            try await WriterDatabase.with { database in
                try await kill(victim, try KillablePostgres(database), "PostgreSQL", folder)
            }
        }
    }

    @Test(.enabled(if: MariaDBFixture.isThere), arguments: Victim.allCases)
    func `on MariaDB`(victim: Victim) async throws {
        try await inFolder { folder in
            try await KillableMariaDB.with { try await kill(victim, $0, "MariaDB", folder) }
        }
    }

    private func kill(
        _ victim: Victim, _ central: any KillableCentral, _ name: String, _ folder: URL
    ) async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["MOORAGE_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...1_000_000)
        print("kills of the \(victim.rawValue) on \(name): MOORAGE_SEED=\(seed)")
        let report = try await KillHarness.run(central, seed: seed, folder: folder) { harness in
            var number = 0
            // One more while each came too late, until it is plain that none ever hits.
            while number < Self.count || harness.report.atWork == 0 && number < Self.count * 4 {
                number += 1
                let problem =
                    switch victim {
                    case .client: try await harness.killClient(number)
                    case .server: try await harness.killServer(number)
                    }
                #expect(problem == nil, "kill \(number), MOORAGE_SEED=\(seed)")
                // What follows would only say the same again.
                if problem != nil { return }
            }
        }
        print("kills of the \(victim.rawValue) on \(name): \(report)")
        #expect(report.atWork > 0)
    }

    func inFolder(_ body: (URL) async throws -> Void) async throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "moorage-kill-\(UUID().uuidString)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        do {
            try await body(folder)
        } catch {
            try files.removeFolder(at: folder)
            throw error
        }
        try files.removeFolder(at: folder)
    }
}
