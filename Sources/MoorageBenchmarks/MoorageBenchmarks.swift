import Foundation
import MoorageTesting

/// First figures, as ratios measured in one run (docs/development/performance.md).
///
/// `MoorageBenchmarks [--repetitions N] [--rows N] [--cache-mb N] [--seconds N] [part …]`; the
/// parts that need PostgreSQL run when `MOORAGE_TEST_POSTGRES` names a server. Without parts all are measured.
/// `MoorageBenchmarks guards …` counts instead (Scripts/guards).
@main
struct MoorageBenchmarks {
    static func main() async {
        do {
            try await measure()
        } catch {
            FileHandle.standardError.write(Data("MoorageBenchmarks: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func measure() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == ServerProcess.argument {
            return try await ServerProcess.serve()
        }
        #if Server
            if arguments.first == MemoryBenchmark.argument {
                return try await MemoryBenchmark.clone(Array(arguments.dropFirst()))
            }
        #endif
        if arguments.first == GuardRun.argument {
            await GuardRun.carryOut(Array(arguments.dropFirst()))
        }
        var plan = Plan()
        plan.read(&arguments)
        let unknown = plan.unknownParts(among: Part.all.map(\.name))
        guard unknown.isEmpty else {
            throw BenchmarkFailure("There is no part \(unknown.joined(separator: ", ")).")
        }
        for part in Part.all where plan.includes(part.name) {
            try await FileManager.withTemporaryFolder("bench") { @Sendable [plan] folder in
                try await part.run(plan, folder, Report())
            }
        }
    }
}
