import MoorageTesting
import TestSupport
import Testing

@testable import MoorageCore

@Suite(.ownThreads) struct `A date or time` {
    private func instant(_ text: String, digits: Int = 6) -> Value {
        ColumnType.instant(fractionDigits: digits).normalized(.text(text))
    }

    private func timestamp(_ text: String, digits: Int) -> Value {
        ColumnType.timestamp(fractionDigits: digits).normalized(.text(text))
    }

    private func time(_ text: String, digits: Int) -> Value {
        ColumnType.time(fractionDigits: digits).normalized(.text(text))
    }

    @Test(arguments: [
        "2000-02-29", "2024-02-29", "1896-02-29", "0001-01-01", "9999-12-31", "1752-09-03",
        "1582-10-10",
    ])
    func `exists in the proleptic Gregorian calendar`(text: String) {
        #expect(CalendarText(date: text)?.dateText == text)
    }

    @Test(arguments: [
        "1900-02-29", "2023-02-29", "2100-02-29", "0000-01-01", "2024-00-01", "2024-13-01",
        "2024-01-00",
        "2024-01-32", "2024-04-31", "10000-01-01", "-0001-01-01", "24-01-01", "2024-1-1",
        "2024/01/01",
        "2024-01-01x", "2024-01-01Z", "", "２０２４-01-01", "0044-03-15 BC", "infinity",
    ])
    func `is not read from anything else`(text: String) {
        #expect(CalendarText(date: text) == nil)
        #expect(CalendarText(timestamp: text) == nil)
    }

    @Test(arguments: [
        "2024-01-01 24:00:00", "2024-01-01 10:60:00", "2024-01-01 10:00:60", "2024-01-01 10:00:00.",
        "2024-01-01 10", "2024-01-01  10:00", "2024-01-01 10:00:00+25", "2024-01-01 10:00:00+05:",
        "2024-01-01 10:00:00+05:6", "2024-01-01 10:00:00+05:60", "2024-01-01 10:00:00Z ",
        "2024-01-01 10:00:00.1234567890123", "2024-01-01 10:00:00 UTC", "2024-01-01 10:00:00+0530x",
    ])
    func `has a time of day and an offset that exist`(text: String) {
        #expect(CalendarText(timestamp: text) == nil)
    }

    @Test(arguments: [
        ("2024-03-01 00:30:00+01:00", "2024-02-29 23:30:00"),
        ("2023-12-31 23:00:00-0100", "2024-01-01 00:00:00"),
        ("1900-03-01 00:00:00+00:00:01", "1900-02-28 23:59:59"),
        ("2000-03-01 00:00:00+14", "2000-02-29 10:00:00"),
        ("2024-01-01T12:00:00Z", "2024-01-01 12:00:00"),
        ("2024-01-01 12:00:00", "2024-01-01 12:00:00"),
        ("1883-11-18 12:03:58-07:52:58", "1883-11-18 19:56:56"),
        ("9999-12-31 23:59:59.999999", "9999-12-31 23:59:59.999999"),
    ])
    func `with an offset is the same instant at UTC`(text: String, utc: String) {
        #expect(instant(text) == .text(utc))
    }

    @Test func `that leaves the years it can hold stays as it is`() {
        #expect(instant("0001-01-01 00:00:00+01") == .text("0001-01-01 00:00:00+01"))
        #expect(instant("9999-12-31 23:59:59-01") == .text("9999-12-31 23:59:59-01"))
        #expect(instant("9999-12-31 23:59:59.9999999") == .text("9999-12-31 23:59:59.9999999"))
    }

    @Test(arguments: [
        ("2024-12-31 23:59:59.9996", 3, "2025-01-01 00:00:00"),
        ("2024-12-31 23:59:59.9994", 3, "2024-12-31 23:59:59.999"),
        ("2024-01-01 00:00:00.5", 0, "2024-01-01 00:00:01"),
        ("2024-01-01 00:00:00.123456", 6, "2024-01-01 00:00:00.123456"),
        ("2024-01-01 00:00:00.1234565", 6, "2024-01-01 00:00:00.123457"),
        ("2024-01-01 00:00:59.9999999", 6, "2024-01-01 00:01:00"),
        ("2024-01-01 00:00", 6, "2024-01-01 00:00:00"), ("2024-01-01", 6, "2024-01-01 00:00:00"),
    ])
    func `is rounded to its column's digits`(text: String, digits: Int, rounded: String) {
        #expect(timestamp(text, digits: digits) == .text(rounded))
    }

    @Test(arguments: [
        ("10:00", 6, "10:00:00"), ("10:00:00.9996", 3, "10:00:01"),
        ("23:59:59.9996", 3, "24:00:00"),
        ("23:59:59.9999999", 6, "24:00:00"), ("24:00:00", 6, "24:00:00"),
        ("00:00:00.50", 6, "00:00:00.5"),
        ("09:59:59.5", 0, "10:00:00"),
    ])
    func `of the day is rounded like a timestamp`(text: String, digits: Int, rounded: String) {
        #expect(time(text, digits: digits) == .text(rounded))
    }

    @Test func `keeps its order when it is moved by days and seconds`() {
        // Every day of 400 years, each an hour before midnight two hours west: the next day at UTC.
        var previous = ""
        for year in [1600, 1700, 1899, 1900, 1999, 2000, 2024, 2100] {
            for month in 1...12 {
                for day in 1...31 {
                    let text = pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2)
                    guard CalendarText(date: text) != nil else { continue }
                    guard case .text(let moved) = instant(text + " 23:00:00-02") else { continue }
                    #expect(moved > previous && moved > text)
                    #expect(moved.hasSuffix(" 01:00:00"))
                    #expect(instant(moved + "Z") == .text(moved))
                    previous = moved
                }
            }
        }
    }

    @Test func `is never a trap, whatever the text`() {
        var random = SeededGenerator(seed: lawSeed + 4)
        let alphabet = Array("0123456789-:+.TZ eE")
        for _ in 0..<trials(20_000, nightly: 1_000_000) {
            var characters = Array("2024-02-29 23:59:59.999999+05:30")
            for _ in 0..<random.below(4) {
                characters[random.below(characters.count)] = random.one(of: alphabet)
            }
            let text = Value.text(String(characters.prefix(random.below(33))))
            for type in everyType {
                let normalized = type.normalized(text)
                #expect(type.normalized(normalized) == normalized)
            }
        }
    }

    private func pad(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: width - text.count) + text
    }
}
