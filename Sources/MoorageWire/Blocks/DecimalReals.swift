import MoorageCore

/// Reals as people write them, such as prices and measures. Each is an integer divided by the same
/// power of ten.
struct DecimalReals {
    /// With more places, no integer is smaller than the 8 bytes of a real.
    static let maximumPlaces = 6
    /// Beyond this, not every integer is a real.
    private static let maximumInteger = 0x1p53

    let bytes: [UInt8]

    /// `nil` where one of the reals would not come back bit for bit.
    init?(_ words: [UInt64]) {
        for places in 0...Self.maximumPlaces {
            guard let numbers = Self.numbers(words, places: places) else { continue }
            var writer = ByteWriter()
            writer.count(places)
            writer.integers(numbers)
            bytes = writer.bytes
            return
        }
        return nil
    }

    private static func numbers(_ words: [UInt64], places: Int) -> [Int64]? {
        let scale = power(places)
        var numbers: [Int64] = []
        numbers.reserveCapacity(words.count)
        for word in words {
            let scaled = (Double(bitPattern: word) * scale).rounded()
            // NaN fails this comparison.
            guard abs(scaled) <= maximumInteger, (scaled / scale).bitPattern == word else {
                return nil
            }
            numbers.append(Int64(scaled))
        }
        // Negative zero has no integer.
        guard words.allSatisfy({ $0 != 1 << 63 }) else { return nil }
        return numbers
    }

    static func words(_ numbers: [Int64], places: Int) -> [UInt64] {
        let scale = power(places)
        return numbers.map { (Double($0) / scale).bitPattern }
    }

    /// Exact, even for far more places.
    private static func power(_ places: Int) -> Double {
        (0..<places).reduce(1) { power, _ in power * 10 }
    }
}
