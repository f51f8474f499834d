import Foundation
import MoorageTesting
import TestSupport
import Testing

/// Inputs that the fuzzer kept, and a few fresh ones, run without it.
@Suite(.ownThreads) struct `Fuzzed inputs` {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fuzz/Corpus")

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `that were kept are harmless`(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let folder = Self.corpus.appending(path: name)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(!files.isEmpty)
        for file in files {
            let problem = target.verdict(Array(try Data(contentsOf: folder.appending(path: file))))
            #expect(problem == nil, "\(file)")
        }
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `from a seed, changed at random, are harmless`(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        for seed in lawSeeds(5, nightly: 200) {
            var mutation = JSONMutation(random: SeededGenerator(seed: seed), words: target.words)
            var bytes = try target.seed(&mutation.random)
            for _ in 0..<6 {
                #expect(
                    target.verdict(bytes) == nil,
                    "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
                bytes = mutation.mutate(bytes) ?? bytes
            }
        }
    }

    @Test func `that SQLite may not run for us are not run`() throws {
        let target = FuzzTarget.table
        for sql in [
            "ATTACH 'x' AS y", "CREATE TABLE t AS SELECT load_extension('x')", "DROP TABLE x",
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT * FROM c",
        ] {
            #expect(target.verdict(Array(sql.utf8)) == nil, "\(sql)")
        }
        #expect(!FileManager.default.fileExists(atPath: "x"))
    }
}
