import CAllocationCount
import Foundation
import GRDBSQLite
import MoorageTesting

/// `MoorageBenchmarks guards FILE COMPILER [--record] [NAME …]`: counts what hot paths take, and
/// compares the counts with the bands in the file or writes them. With names, it runs only the
/// guards whose names contain one of them.
struct GuardRun {
    static let argument = "guards"
    private let path: String
    private let versions: String
    private let isRecording: Bool
    private let names: [String]

    private struct OutsideBands: Error {}

    /// Ends the process: with 1 when a count is outside its band, with 2 when the run fails.
    static func carryOut(_ arguments: [String]) async -> Never {
        do {
            let run = try GuardRun(arguments)
            try await FileManager.withTemporaryFolder("bench") { try await run.run(in: $0) }
            exit(0)
        } catch is OutsideBands {
            exit(1)
        } catch {
            FileHandle.standardError.write(Data("guards: \(error)\n".utf8))
            exit(2)
        }
    }

    private init(_ arguments: [String]) throws {
        guard let library = allocation_count_library() else {
            throw BenchmarkFailure("Allocations are counted on Linux with glibc alone.")
        }
        guard arguments.count >= 2 else {
            throw BenchmarkFailure("Say where the bands are, and which compiler it was.")
        }
        path = arguments[0]
        versions =
            "\(arguments[1]), SQLite \(String(cString: sqlite3_libversion())), "
            + "glibc \(String(cString: library))"
        isRecording = arguments.contains("--record")
        names = arguments.dropFirst(2).filter { $0 != "--record" }
        guard !isRecording || names.isEmpty else {
            throw BenchmarkFailure("Guards are recorded all together.")
        }
    }

    private func run(in folder: URL) async throws {
        let text =
            FileManager.default.fileExists(atPath: path)
            ? try String(contentsOfFile: path, encoding: .utf8) : ""
        let bands = try BandFile(text)
        var table = GuardTable(bands: bands)
        var counted: [(name: String, counts: Counts)] = []
        for guarded in Self.guards(folder)
        where names.isEmpty || names.contains(where: guarded.name.contains) {
            let counts = try await guarded.counts()
            table.add(guarded.name, counts)
            counted.append((guarded.name, counts))
        }
        guard !counted.isEmpty else { throw BenchmarkFailure("No guard has such a name.") }
        if isRecording {
            let text = bands.text(recording: counted, versions: versions)
            return try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        guard table.outside.isEmpty else {
            table.explain(versions: versions, recorded: BandFile.versions(in: text))
            throw OutsideBands()
        }
    }

    private static func guards(_ folder: URL) -> [Guard] {
        WireGuards.all + TrackingGuards(folder: folder).all + DeviceGuards(folder: folder).all
            + TableGuards(folder: folder).all + HubGuards(folder: folder).all
            + LiveGuards(folder: folder).all
    }
}
