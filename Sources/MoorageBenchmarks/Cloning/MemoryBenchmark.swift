import Foundation
import GRDB
import Moorage
import MoorageHub
import MooragePostgres

#if Server
    import MoorageAsyncHTTP

    /// Measures how far a device's memory grows in a clone over HTTP, at one size and at twice that
    /// size. A separate process makes the clone and prints its memory as the system reports it.
    struct MemoryBenchmark {
        static let argument = "--clone"
        let plan: Plan
        let folder: URL

        func run(_ report: Report) async throws {
            guard ProcessMemory.bytes("VmRSS") != nil else {
                return report.note("This system does not tell of memory in /proc/self/status.")
            }
            try await PostgresScratch.with(report, orNote: "no memory of a clone") {
                try await run(report, $0)
            }
        }

        private func run(_ report: Report, _ scratch: PostgresScratch) async throws {
            let link = try PostgresLink(scratch.url)
            try link.run(Item.postgresSchema)
            _ = try await Hub(database: try PostgresDatabase(url: scratch.url)).attach()
            var measured: [(name: String, before: Int, peak: Int)] = []
            for part in 1...2 {
                for seed in 0..<10 {
                    try link.upsert(
                        Item.rows(plan.rows / 10, seed: UInt64(part * 100 + seed)))
                }
                try link.run("VACUUM ANALYZE")
                let process = try ServerProcess(database: scratch.url)
                defer { process.stop() }
                let (before, peak) = try child(process.url)
                measured.append(("a clone of \(plan.rows / 10 * 10 * part) rows", before, peak))
            }
            report.memory("a device's memory in a clone over HTTP", measured)
        }

        private func child(_ url: URL) throws -> (Int, Int) {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
                .resolvingSymlinksInPath()
            let path = folder.appending(path: "\(UUID().uuidString).db").path
            process.arguments = [Self.argument, path, url.absoluteString]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let answer = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            let numbers = String(decoding: answer, as: UTF8.self).split(
                whereSeparator: \.isWhitespace
            )
            .compactMap { Int($0) }
            guard process.terminationStatus == 0, numbers.count == 2 else {
                throw BenchmarkFailure("The process that clones failed.")
            }
            return (numbers[0], numbers[1])
        }

        /// - Parameter arguments: The file, and the server's address.
        static func clone(_ arguments: [String]) async throws {
            guard arguments.count == 2, let url = URL(string: arguments[1]) else {
                throw BenchmarkFailure("\(argument) takes a file and an address.")
            }
            let database = try DatabasePool(path: arguments[0])
            let hub = HTTPHubConnection(
                url: url, secret: ServerProcess.secret, transport: AsyncHTTPTransport())
            // The memory that libraries take for their first request is not part of the clone.
            _ = try await hub.schema()
            let before = ProcessMemory.bytes("VmRSS") ?? 0
            _ = try await Replica.clone(into: database, from: .direct(hub), tables: ["item"])
            let peak = ProcessMemory.bytes("VmHWM") ?? 0
            FileHandle.standardOutput.write(Data("\(before) \(peak)\n".utf8))
        }
    }
#endif
