import Foundation
import TestSupport
import Testing

@testable import MoorageTesting

/// Stories that once broke a promise.
@Suite(.ownThreads) struct `The corpus` {
    static let stories: [URL] = {
        let folder = Bundle.module.url(forResource: "Corpus", withExtension: nil)
        let files = folder.flatMap {
            try? FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
        }
        return (files ?? []).filter { $0.pathExtension == "history" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }()

    @Test func `is there`() { #expect(!Self.stories.isEmpty) }

    @Test(arguments: stories)
    func `keeps every promise`(story: URL) async throws {
        let history = try History(text: String(contentsOf: story, encoding: .utf8))
        let result = try await Threads.run { Simulation.run(history) }
        #expect(result.violation == nil, "\(story.lastPathComponent)")
    }
}
