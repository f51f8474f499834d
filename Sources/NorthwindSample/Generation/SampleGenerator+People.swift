import MoorageCore

extension SampleGenerator {
    /// company_name, contact_name, contact_title, address, city, region, postal_code, country,
    /// phone, fax.
    mutating func companyValues(number: Int) -> [Value] {
        let name =
            random.pick(SampleWords.companyWords) + " " + random.pick(SampleWords.companyKinds)
        let contact =
            random.pick(SampleWords.firstNames) + " " + random.pick(SampleWords.lastNames)
        return [
            .text("\(name) \(number)"), .text(contact), .text(random.pick(SampleWords.titles)),
        ] + addressValues() + [
            .text(phone()),
            random.once(in: 3) ? .null : random.once(in: 6) ? .text("") : .text(phone()),
        ]
    }

    /// address, city, region, postal_code, country.
    mutating func addressValues() -> [Value] {
        let place = random.pick(SampleWords.places)
        var street = random.pick(SampleWords.streets) + " " + String(random.below(140) + 1)
        if random.once(in: 6) { street += "\nApt. \(random.below(20))A" }
        if random.once(in: 30) { street += "\r\nc/o \"Kontor\"" }
        let postal = place.postalPrefix + padded(random.below(1000), 3)
        return [
            .text(street), .text(place.city), place.region.map { .text($0) } ?? .null,
            random.once(in: 40) ? .null : .text(postal), .text(place.country),
        ]
    }

    /// Keys of at most five characters: letters, some with leading zeros, and a pair that differs
    /// in its Unicode form alone.
    mutating func customerRows() -> [[Value]] {
        (0..<(Self.customersPerSize * size)).map { index in
            [.text(Self.customerKey(index))] + companyValues(number: index + 1)
        }
    }

    static func customerKey(_ index: Int) -> String {
        switch index {
        case 0: return "00017"
        case 1: return "17"
        case 2: return "CAFÉ"
        case 3: return "CAFE\u{301}"
        case 4: return "cafe"
        case 5: return "O'B\"X"
        default:
            // A step that shares no factor with 26⁵ visits every key once, and looks random.
            var rest = (index * 3_456_791 + 1_234_567) % 11_881_376
            var letters = ""
            for _ in 0..<5 {
                letters.unicodeScalars.append(Unicode.Scalar(UInt8(65 + rest % 26)))
                rest /= 26
            }
            return letters
        }
    }

    /// The second employee leads the first and most others; the fifth leads the rest. One was born
    /// before 1900, one before 1582.
    mutating func employeeRow(_ number: Int) -> [Value] {
        let boss: Value =
            switch number {
            case 2: .null
            case 1, 3, 4, 5, 8: .integer(2)
            default: .integer(5)
            }
        let born = number == 7 ? -30_255 : number == 9 ? -150_000 : -9_000 + random.below(6_000)
        let photo: Value =
            switch number {
            case 4: .null
            case 6: .blob([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00])
            default: .blob([])
            }
        return [
            .integer(Int64(number)), .text(SampleWords.lastNames[(number * 7) % 25]),
            .text(SampleWords.firstNames[(number * 5) % 26]),
            .text(number == 2 ? "Vice President, Sales" : "Sales Representative"),
            number == 3 ? .null : .text(random.once(in: 2) ? "Ms." : "Dr."), date(born),
            date(8_100 + random.below(900)),
        ] + addressValues() + [
            .text(phone()), .text(padded(random.below(10_000), 4)), photo,
            .text(SampleWords.notes[number % SampleWords.notes.count]), boss,
            .text("photos\\employee\(number).png"),
        ]
    }

    mutating func employeeTerritoryRows() -> [[Value]] {
        (0..<49).map { index in
            [
                .integer(Int64(index % Self.employeeCount) + 1),
                .text(territories[index]),
            ]
        }
    }
}
