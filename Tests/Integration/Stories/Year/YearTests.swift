import MoorageTesting
import TestSupport
import Testing

/// The size of a year, and where it happens.
struct YearSetting: Sendable, CustomTestStringConvertible {
    let devices: Int
    /// Whether the central database moves from PostgreSQL to MariaDB. Otherwise it moves from one
    /// SQLite database to another one.
    let isOnServers: Bool
    let seed: UInt64

    var testDescription: String {
        "\(devices) devices, \(isOnServers ? "PostgreSQL, then MariaDB" : "SQLite"), seed \(seed)"
    }

    /// By day few devices on SQLite. The night has all of them, and servers where there are some.
    static let all: [YearSetting] = lawSeeds(1, nightly: 3).flatMap { seed in
        let sqlite = YearSetting(devices: isNightly ? 40 : 12, isOnServers: false, seed: seed)
        guard isNightly, PostgresFixture.isThere, MariaDBFixture.isThere else { return [sqlite] }
        return [sqlite, YearSetting(devices: 40, isOnServers: true, seed: seed)]
    }

    /// The central database at the beginning.
    func first(clock: Int64) throws -> any YearCentre {
        if isOnServers { try PostgresYearCentre() } else { try SQLiteYearCentre(clock: clock) }
    }

    /// The one that it moves to.
    func second(clock: Int64) throws -> any YearCentre {
        if isOnServers { try MariaDBYearCentre() } else { try SQLiteYearCentre(clock: clock) }
    }
}

@Suite(.ownThreads) struct `A year of a product` {
    @Test(arguments: YearSetting.all)
    func `loses nothing, lets no old value win, and explains each suspension`(
        setting: YearSetting
    ) async throws {
        let year = try await Year.run(setting)
        let words = year.problems.prefix(20).joined(separator: "\n")
        #expect(
            year.problems.isEmpty,
            "\(setting.testDescription): \(year.problems.count) problems\n\(words)")
        // Without these the year shows nothing about suspensions.
        #expect(
            year.codes == ["missingColumn", "tableSuspended", "unknownTable"],
            "\(setting.testDescription)")
    }
}
