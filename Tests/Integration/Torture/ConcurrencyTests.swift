import Foundation
import Testing

/// Eight writers beside four replicas, two of which see a part of the rows (docs/design.md, 5.2): no
/// change is missed, and every state that a replica caught up with really was.
@Suite(.serialized) struct `Concurrency` {
    static let isNightly = ProcessInfo.processInfo.environment["MOORAGE_NIGHTLY"] == "1"
    static let seconds: Double = isNightly ? 60 : 10

    @Test(arguments: CentreKind.available)
    func `writers and replicas at once miss nothing and see whole transactions`(
        kind: CentreKind
    ) async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["MOORAGE_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...1_000_000)
        print("torture: \(kind.rawValue): MOORAGE_SEED=\(seed)")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let centre = try kind.make()
        do {
            let torture = try await Torture(seed: seed, centre: centre, folder: folder)
            let problems = try await torture.run(seconds: Self.seconds)
            #expect(problems.isEmpty, "MOORAGE_SEED=\(seed)")
            let differences = try await torture.differences()
            #expect(differences.isEmpty, "MOORAGE_SEED=\(seed)")
            print(torture.report)
            // In ten seconds beside other tests a replica may wait for one lock all the time.
            if Self.isNightly { #expect(torture.idle == [], "MOORAGE_SEED=\(seed)") }
        } catch {
            try centre.close()
            throw error
        }
        try centre.close()
    }
}
