import Foundation
import MoorageTesting
import NorthwindSample
import TestSupport
import Testing

@Suite(.ownThreads) struct `The whole story of Northwind` {
    @Test(arguments: StorySetting.all)
    func `on generated rows`(setting: StorySetting) async throws {
        try await NorthwindStory.run(NorthwindSample(seed: 7), setting)
    }

    @Test(.enabled(if: RealRows.areTried), arguments: StorySetting.all)
    func `on the real rows`(setting: StorySetting) async throws {
        let folder = try #require(RealRows.folder)
        let sample = try NorthwindSample(csvFolder: folder)
        #expect(sample.rowCount == 3_311)
        try await NorthwindStory.run(sample, setting)
    }
}

/// The rows of the original sample database. Only the night uses them, if `MOORAGE_NORTHWIND` names
/// their folder.
enum RealRows {
    static let folder: String? = {
        guard let folder = ProcessInfo.processInfo.environment["MOORAGE_NORTHWIND"] else {
            print(
                """
                Integration: the story on the real Northwind rows does not run, because \
                MOORAGE_NORTHWIND names no folder of their CSV files.
                """)
            return nil
        }
        return folder
    }()

    static var areTried: Bool { isNightly && folder != nil }
}
