import MoorageCore

extension SampleGenerator {
    /// Orders over 670 days from 1996-07-04, and their lines.
    mutating func orderRows() -> (orders: [[Value]], lines: [[Value]]) {
        let count = Self.ordersPerSize * size
        var orders: [[Value]] = []
        var lines: [[Value]] = []
        orders.reserveCapacity(count)
        for index in 0..<count {
            let id = Self.firstOrder + Int64(index)
            orders.append(orderRow(id, day: 9_681 + index * 670 / count))
            lines += lineRows(of: id, index: index)
        }
        return (orders, lines)
    }

    private mutating func orderRow(_ id: Int64, day: Int) -> [Value] {
        let customer = customers[random.below(customers.count)]
        let shipped: Value = random.once(in: 40) ? .null : date(day + 1 + random.below(20))
        // The oldest order of each hundred waits since before 1900.
        let ordered = id % 100 == 0 ? -25_568 - random.below(400) : day
        let freight: Value =
            id % 97 == 0 ? .null : money(random.below(20_000) * (id % 4 == 0 ? 10 : 1))
        let isElsewhere = random.once(in: 9)
        let shipTo = isElsewhere ? addressValues() : Array(customer[4...8])
        return [
            .integer(id), id % 211 == 0 ? .null : customer[0],
            .integer(Int64(random.below(Self.employeeCount)) + 1), date(ordered), date(day + 28),
            shipped, .integer(Int64(random.below(3)) + 1), freight, customer[1],
        ] + shipTo
    }

    /// One to five lines of different products, 2.6 on average as in the original.
    private mutating func lineRows(of order: Int64, index: Int) -> [[Value]] {
        let count = [1, 2, 2, 3, 5][index % 5]
        let first = random.below(prices.count)
        return (0..<count).map { line in
            // 16 and 77 have no common factor: the products of one order differ.
            let product = (first + line * 16) % prices.count
            let discount = random.once(in: 3) ? random.below(5) * 5 : 0
            return [
                .integer(order), .integer(Int64(product) + 1), money(prices[product]),
                .integer(Int64(random.below(60)) + 1), money(discount),
            ]
        }
    }
}
