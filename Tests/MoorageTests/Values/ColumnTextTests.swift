import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `Dates and decimals of records` {
    private struct Entry: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "entry"
        var id: Int64
        var day: LocalDate?
        var time: LocalTime?
        var wall: LocalDateTime?
        var moment: Instant?
        var price: ExactDecimal?
    }

    private static func database() throws -> DatabaseQueue {
        let database = try DatabaseQueue()
        try database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE entry(id INTEGER PRIMARY KEY, day DATE, time TEXT, wall TEXT,
                        moment TEXT, price TEXT)
                    """)
        }
        return database
    }

    @Test(arguments: [
        ["2024-02-29", "24:00:00", "2024-02-29 12:30:00", "2024-02-29 12:30:00.5", "9.80"],
        [
            "0001-01-01 00:00:00", "10:00", "9999-12-31T23:59:59.999999",
            "2024-02-29 01:00:00+02:00",
            "-1.25e1",
        ],
        [
            "9999-12-31", "23:59:59.999999", "2024-02-29", "2024-02-29T12:30Z",
            "123456789012345678901234567890.123456789",
        ],
    ])
    func `change no byte of a row that is read and saved`(texts: [String]) throws {
        let database = try Self.database()
        try database.write { db in
            try db.execute(
                sql: "INSERT INTO entry VALUES(1, ?, ?, ?, ?, ?)",
                arguments: StatementArguments(texts))
            let entry = try #require(try Entry.fetchOne(db))
            #expect(entry.day != nil && entry.time != nil && entry.wall != nil)
            #expect(entry.moment != nil && entry.price != nil)
            try entry.update(db)
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM entry"))
            #expect(Array(row.databaseValues.dropFirst()) == texts.map(\.databaseValue))
            let copy = try JSONDecoder().decode(Entry.self, from: JSONEncoder().encode(entry))
            #expect(copy == entry)
            #expect(copy.moment?.description == texts[3])
        }
    }

    @Test func `in another form are errors, not other values`() throws {
        let database = try Self.database()
        for column in ["day", "time", "wall", "moment", "price"] {
            let texts = ["2024-02-30", "24:00:01", "tomorrow", "", "1/2", "12"]
            for text in texts where column != "price" || text != "12" {
                try database.write { db in
                    try db.execute(sql: "DELETE FROM entry")
                    try db.execute(
                        sql: "INSERT INTO entry(id, \(column)) VALUES(1, ?)", arguments: [text])
                    #expect(throws: (any Error).self) { try Entry.fetchOne(db) }
                }
            }
        }
    }

    @Test func `are equal as their columns' types say`() throws {
        #expect(LocalDate("2024-01-02 00:00:00") == LocalDate("2024-01-02"))
        #expect(LocalTime("10:00") == LocalTime("10:00:00.0"))
        #expect(LocalDateTime("2024-01-02T03:04") == LocalDateTime("2024-01-02 03:04:00.000"))
        #expect(Instant("2024-01-02T00:30+01:00") == Instant("2024-01-01 23:30:00Z"))
        #expect(ExactDecimal("98e-1") == ExactDecimal("9.80"))
        #expect(Set([ExactDecimal("1"), ExactDecimal("1.0")]).count == 1)
        #expect(Instant("2024-01-02 00:00:00.0000005") == Instant("2024-01-02 00:00:00.000001"))
    }

    @Test func `have the order of time and number`() throws {
        #expect(try #require(LocalDate("0999-12-31")) < #require(LocalDate("1000-01-01")))
        #expect(try #require(LocalTime("23:59:59")) < #require(LocalTime("24:00:00")))
        #expect(try #require(ExactDecimal("-10")) < #require(ExactDecimal("-9.5")))
        #expect(try #require(ExactDecimal("9.5")) < #require(ExactDecimal("10")))
        let (early, late) = (Instant("2024-01-01 12:00+02:00"), Instant("2024-01-01 11:00"))
        #expect(try #require(early) < #require(late))
    }

    @Test func `are made of numbers`() throws {
        #expect(LocalDate(year: 2023, month: 2, day: 29) == nil)
        #expect(LocalDate(year: 2024, month: 2, day: 29)?.description == "2024-02-29")
        #expect(LocalTime(hour: 24, minute: 0)?.description == "24:00:00")
        #expect(LocalTime(hour: 24, minute: 1) == nil)
        #expect(
            LocalTime(hour: 1, minute: 2, second: 3, microsecond: 40)?.description
                == "01:02:03.00004")
        #expect(LocalTime.midnight.description == "00:00:00")
        let lastDay = try #require(LocalDate("9999-12-31"))
        let day = try #require(LocalDate("2024-02-29"))
        let end = try #require(LocalTime("24:00:00"))
        #expect(LocalDateTime(date: day, time: end)?.description == "2024-03-01 00:00:00")
        #expect(LocalDateTime(date: lastDay, time: end) == nil)
        #expect(LocalDateTime("2024-02-29 10:11:12.5")?.date == day)
        #expect(LocalDateTime("2024-02-29 10:11:12.5")?.time.description == "10:11:12.5")
        #expect(ExactDecimal(-7).description == "-7")
        #expect((5 as ExactDecimal) == ExactDecimal("5.0"))
    }

    @Test func `name days and moments of a time zone`() throws {
        let zone = try #require(TimeZone(identifier: "America/Sao_Paulo"))
        // Clocks skipped midnight there on 4 November 2018.
        let skipped = try #require(LocalDate("2018-11-04"))
        #expect(Instant(skipped.start(in: zone)).description == "2018-11-04 03:00:00")
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let twice = try #require(LocalDateTime("2024-10-27 02:30:00"))
        #expect(Instant(twice.moment(in: berlin)).description == "2024-10-27 00:30:00")
        let never = try #require(LocalDateTime("2024-03-31 02:30:00"))
        #expect(Instant(never.moment(in: berlin)).description == "2024-03-31 01:30:00")
        let moment = try #require(Instant("2024-12-31 23:30:00"))
        #expect(LocalDate(moment.date, in: berlin)?.description == "2025-01-01")
        #expect(LocalDateTime(moment.date, in: berlin)?.description == "2025-01-01 00:30:00")
    }

    @Test func `keep microseconds, and bound what text cannot express`() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let microseconds = Int64.random(
                in: -62_135_596_800_000_000...253_402_300_799_999_999, using: &random)
            let calendar = CalendarText(microseconds: microseconds)
            #expect(calendar.microseconds == microseconds)
            #expect(CalendarText(timestamp: calendar.text(6)) == calendar)
        }
        let now = Instant(Date(timeIntervalSince1970: 1_700_000_000.123456))
        #expect(Instant(now.date) == now)
        #expect(now.description == "2023-11-14 22:13:20.123456")
        #expect(Instant(Date(timeIntervalSince1970: .nan)).description == "1970-01-01 00:00:00")
        #expect(Instant(.distantPast).description == "0001-01-01 00:00:00")
        #expect(
            Instant(Date(timeIntervalSince1970: 1e18)).description == "9999-12-31 23:59:59.999999")
        #expect(LocalDate(Date(timeIntervalSince1970: 1e18), in: .gmt) == nil)
    }

    @Test func `become decimals of Foundation where no digit is lost`() throws {
        #expect(ExactDecimal("9.80")?.decimal == Decimal(string: "9.8"))
        #expect(ExactDecimal("123456789012345678901234567890123456789012")?.decimal == nil)
        #expect(ExactDecimal(Decimal.nan) == nil)
        #expect(ExactDecimal(Decimal(string: "-0.05") ?? 0)?.description == "-0.05")
        #expect(ExactDecimal("2.5")?.double == 2.5)
        #expect(ExactDecimal.fromDatabaseValue(2.5.databaseValue) == ExactDecimal("2.5"))
        #expect(ExactDecimal.fromDatabaseValue(3.databaseValue) == 3)
        #expect(ExactDecimal.fromDatabaseValue(Data([49]).databaseValue) == nil)
    }
}
