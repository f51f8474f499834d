import MoorageCore

/// How numbers are written: a byte for the form, then the numbers.
private enum IntegerForm: UInt8 {
    /// One behind the other, as zigzag varints.
    case plain = 0
    /// Each as its difference to the one before; the first to 0.
    case differences = 1
    /// Each with the length of its run.
    case runs = 2
}

extension ByteWriter {
    mutating func integers(_ numbers: [Int64]) {
        var sizes = (plain: 0, differences: 0, runs: 0)
        var previous: Int64 = 0
        var run = 0
        for (index, number) in numbers.enumerated() {
            sizes.plain += number.zigzag.varintLength
            sizes.differences += (number &- previous).zigzag.varintLength
            if index == 0 || number != previous {
                if run > 0 { sizes.runs += UInt64(run).varintLength }
                sizes.runs += number.zigzag.varintLength
                run = 0
            }
            run += 1
            previous = number
        }
        sizes.runs += UInt64(run).varintLength
        if sizes.plain <= min(sizes.differences, sizes.runs) {
            byte(IntegerForm.plain.rawValue)
            for number in numbers { zigzag(number) }
        } else if sizes.differences <= sizes.runs {
            byte(IntegerForm.differences.rawValue)
            var previous: Int64 = 0
            for number in numbers {
                zigzag(number &- previous)
                previous = number
            }
        } else {
            byte(IntegerForm.runs.rawValue)
            var start = 0
            while start < numbers.count {
                var end = start + 1
                while end < numbers.count, numbers[end] == numbers[start] { end += 1 }
                zigzag(numbers[start])
                count(end - start)
                start = end
            }
        }
    }

    mutating func counts(_ counts: [Int]) { integers(counts.map(Int64.init)) }
}

extension ByteReader {
    /// - Parameter count: How many numbers. The caller has reserved them.
    mutating func integers(_ count: Int) throws(HubError) -> [Int64] {
        guard let form = IntegerForm(rawValue: try byte()) else {
            throw Self.error("a form of integers that is not known")
        }
        var numbers: [Int64] = []
        numbers.reserveCapacity(count)
        switch form {
        case .plain:
            for _ in 0..<count { numbers.append(try zigzag()) }
        case .differences:
            var previous: Int64 = 0
            for _ in 0..<count {
                previous &+= try zigzag()
                numbers.append(previous)
            }
        case .runs:
            while numbers.count < count {
                let number = try zigzag()
                let length = try self.count()
                guard length > 0, length <= count - numbers.count else {
                    throw Self.error("a run of another length than there is room for")
                }
                numbers.append(contentsOf: repeatElement(number, count: length))
            }
        }
        return numbers
    }

    /// Lengths or positions, from 0 to the largest 32-bit integer.
    mutating func lengths(_ count: Int) throws(HubError) -> [Int] {
        var lengths: [Int] = []
        lengths.reserveCapacity(count)
        for number in try integers(count) {
            guard (0...Int64(Int32.max)).contains(number) else {
                throw Self.error("a length that no value has")
            }
            lengths.append(Int(number))
        }
        return lengths
    }
}
