import MoorageCore

/// Makes the rows of all tables, one after the other, from one stream of random numbers.
struct SampleGenerator {
    var random: SampleRandom
    let size: Int
    private(set) var territories: [String] = []
    private(set) var customers: [[Value]] = []
    private(set) var prices: [Int] = []

    static let employeeCount = 9
    static let supplierCount = 29
    static let shipperCount = 6
    static let firstOrder: Int64 = 10_248
    static let ordersPerSize = 830
    static let customersPerSize = 91

    init(seed: UInt64, size: Int) {
        random = SampleRandom(seed: seed)
        self.size = size
    }

    mutating func tables() -> [SampleRows] {
        var rows: [String: [[Value]]] = [:]
        rows["region"] = regionRows()
        rows["territories"] = territoryRows()
        rows["categories"] = categoryRows()
        rows["suppliers"] = (1...Self.supplierCount).map { supplierRow(Int64($0)) }
        rows["products"] = (1...77).map { productRow(Int64($0)) }
        rows["shippers"] = (1...Self.shipperCount).map { shipperRow(Int64($0)) }
        customers = customerRows()
        rows["customers"] = customers
        rows["employees"] = (1...Self.employeeCount).map { employeeRow($0) }
        rows["employee_territories"] = employeeTerritoryRows()
        let (orders, lines) = orderRows()
        rows["orders"] = orders
        rows["order_details"] = lines
        rows["customer_demographics"] = Self.demographics
        rows["customer_customer_demo"] = customerDemographicRows()
        return SampleSchema.tables.map { table in
            let made = rows[table.name] ?? []
            return SampleRows(table: table, rows: NorthwindSample.parentsFirst(made, table))
        }
    }

    private func regionRows() -> [[Value]] {
        ["Östlich", "Western", "Nord", "South\nand islands"].enumerated().map {
            [.integer(Int64($0) + 1), .text($1)]
        }
    }

    /// Keys are text, most with leading zeros; one pair differs in them alone.
    private mutating func territoryRows() -> [[Value]] {
        var rows: [[Value]] = []
        for number in 0..<53 {
            let id =
                switch number {
                case 0: "00042"
                case 1: "42"
                default: padded(number * 1733 % 99_991, 5)
                }
            territories.append(id)
            let place = random.pick(SampleWords.places).city
            rows.append([
                .text(id), .text(place + " " + String(number)),
                .integer(Int64(random.below(4)) + 1),
            ])
        }
        return rows
    }

    private func categoryRows() -> [[Value]] {
        SampleWords.categories.enumerated().map { index, category in
            let picture: Value =
                index == 3 ? .null : index == 5 ? .blob([0, 255, 0x27, 0x5C, 10]) : .blob([])
            return [
                .integer(Int64(index) + 1), .text(category.name), .text(category.description),
                picture,
            ]
        }
    }

    private mutating func supplierRow(_ id: Int64) -> [Value] {
        let homepage: Value =
            random.once(in: 4) ? .text("#\(random.pick(SampleWords.companyWords))#") : .null
        return [.integer(id)] + companyValues(number: Int(id)) + [homepage]
    }

    private mutating func productRow(_ id: Int64) -> [Value] {
        // Every third price ends in a zero, so that 9.80 and 9.8 must be one price.
        let cents = (random.below(900) + 25) * (id % 3 == 0 ? 10 : 7)
        prices.append(cents)
        let name =
            random.pick(SampleWords.productWords) + " " + random.pick(SampleWords.productKinds)
        return [
            .integer(id), .text(name + " " + padded(Int(id), 2)),
            id % 20 == 0 ? .null : .integer(Int64(random.below(Self.supplierCount)) + 1),
            .integer(Int64(random.below(8)) + 1), .text(random.pick(SampleWords.units)),
            money(cents), .integer(Int64(random.below(120))), .integer(Int64(random.below(8)) * 10),
            .integer(Int64(random.below(6)) * 5), .integer(random.once(in: 8) ? 1 : 0),
        ]
    }

    private mutating func shipperRow(_ id: Int64) -> [Value] {
        [
            .integer(id), .text(random.pick(SampleWords.companyWords) + " Express \(id)"),
            id == 4 ? .null : .text(phone()),
        ]
    }

    private static let demographics: [[Value]] = [
        [.text("GROSS"), .text("Wholesale, buys by the pallet")],
        [.text("KIOSK"), .text("")],
        [.text("00001"), .null],
        [.text("É"), .text("One form of the letter")],
        [.text("E\u{301}"), .text("The other form of the letter")],
    ]

    private mutating func customerDemographicRows() -> [[Value]] {
        customers.prefix(Self.customersPerSize).enumerated().compactMap { index, customer in
            guard index % 2 == 0 else { return nil }
            return [customer[0], Self.demographics[random.below(Self.demographics.count)][0]]
        }
    }
}

extension SampleGenerator {
    /// An amount of hundredths with both its digits.
    func money(_ cents: Int) -> Value { .text("\(cents / 100)." + padded(cents % 100, 2)) }

    func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    func date(_ days: Int) -> Value { .text(SampleDate.text(daysSince1970: days)) }

    mutating func phone() -> String {
        "(0\(random.below(900) + 10)) 555-" + padded(random.below(10_000), 4)
    }
}
