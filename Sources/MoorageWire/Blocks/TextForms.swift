import MoorageCore

/// The ways to write a column of texts.
struct TextForms {
    private let column: ValueColumn
    private let before: ValueColumn?

    /// - Parameters:
    ///   - column: Texts alone, and at least one.
    ///   - before: The values before an edit.
    init(_ column: ValueColumn, before: ValueColumn?) {
        self.column = column
        self.before = before
    }

    func shortest() -> (BlockForm, [UInt8]) {
        if let uuids = uuids() { return (.uuids, uuids) }
        var best = (BlockForm.texts, plain())
        if let digits = digits(), digits.count < best.1.count { best = (.digits, digits) }
        if let decimals = decimals(), decimals.count < best.1.count { best = (.decimals, decimals) }
        if let edits = edits(), edits.count < best.1.count { best = (.edits, edits) }
        return best
    }

    private func plain() -> [UInt8] {
        var writer = ByteWriter()
        writer.counts(column.lengths)
        writer.raw(column.bytes)
        return writer.bytes
    }

    /// The length that all texts have; `nil` when they differ.
    private var commonLength: Int? {
        let length = column.ends[0]
        guard column.bytes.count == length * column.count else { return nil }
        var end = 0
        for next in column.ends {
            end += length
            guard next == end else { return nil }
        }
        return length
    }

    // MARK: UUIDs

    private func uuids() -> [UInt8]? {
        guard column.ends[0] == 36, commonLength == 36 else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(column.count * 16)
        let areUUIDs = column.bytes.withUnsafeBufferPointer { bytes in
            stride(from: 0, to: bytes.count, by: 36).allSatisfy { start in
                UUIDText.appendBytes(
                    of: UnsafeBufferPointer(rebasing: bytes[start..<start + 36]),
                    allowsUpperCase: false, to: &result)
            }
        }
        return areUUIDs ? result : nil
    }

    // MARK: Digits in the same places

    /// No text of this form is longer.
    static let maximumPattern = 64

    private func digits() -> [UInt8]? {
        guard let length = commonLength, (1...Self.maximumPattern).contains(length) else {
            return nil
        }
        let pattern = column.bytes[..<length].map { Self.isDigit($0) ? UInt8(ascii: "0") : $0 }
        let places = pattern.indices.filter { pattern[$0] == UInt8(ascii: "0") }
        guard !places.isEmpty, pattern.allSatisfy({ $0 < 0x80 }) else { return nil }
        let fits = column.bytes.withUnsafeBufferPointer { bytes in
            for start in stride(from: 0, to: bytes.count, by: length) {
                for place in 0..<length {
                    let byte = bytes[start + place]
                    guard (Self.isDigit(byte) ? UInt8(ascii: "0") : byte) == pattern[place] else {
                        return false
                    }
                }
            }
            return true
        }
        guard fits else { return nil }
        var writer = ByteWriter()
        writer.part(pattern)
        // Two digits in each byte, place by place: the years of all texts, then the months of all.
        for first in stride(from: 0, to: places.count, by: 2) {
            let high = places[first]
            let low = first + 1 < places.count ? places[first + 1] : nil
            for start in stride(from: 0, to: column.bytes.count, by: length) {
                let tens = column.bytes[start + high] - UInt8(ascii: "0")
                let ones = low.map { column.bytes[start + $0] - UInt8(ascii: "0") }
                writer.byte(ones.map { tens * 10 + $0 } ?? tens)
            }
        }
        return writer.bytes
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    // MARK: Decimals

    /// A number with this many digits always fits 64 bits.
    static let maximumDigits = 18
    /// 10 to the power of ``maximumDigits``.
    static let decimalLimit: UInt64 = 1_000_000_000_000_000_000

    /// Decimals in their normal text, all with the same number of places after the point.
    private func decimals() -> [UInt8]? {
        var numbers: [Int64] = []
        numbers.reserveCapacity(column.count)
        var scale: Int?
        for row in 0..<column.count {
            guard let decimal = Decimal(column.bytes[column.byteRange(row)]),
                scale == nil || scale == decimal.scale
            else { return nil }
            scale = decimal.scale
            numbers.append(decimal.digits)
        }
        guard let scale else { return nil }
        var writer = ByteWriter()
        writer.count(scale)
        writer.integers(numbers)
        return writer.bytes
    }

    private struct Decimal {
        var digits: Int64 = 0
        var scale = 0

        /// `nil` for text that these two fields would not give back byte for byte.
        init?(_ text: ArraySlice<UInt8>) {
            var rest = text
            let isNegative = rest.first == UInt8(ascii: "-")
            if isNegative { rest.removeFirst() }
            let digitCount = rest.count(where: TextForms.isDigit)
            guard digitCount <= TextForms.maximumDigits, let first = rest.first,
                let last = rest.last, last != UInt8(ascii: ".")
            else { return nil }
            var point: Int?
            for (offset, byte) in rest.enumerated() {
                if byte == UInt8(ascii: "."), point == nil, offset > 0 {
                    point = offset
                    continue
                }
                guard TextForms.isDigit(byte) else { return nil }
                digits = digits * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            let whole = point ?? rest.count
            guard first != UInt8(ascii: "0") || whole == 1, !isNegative || digits != 0 else {
                return nil
            }
            scale = point.map { rest.count - $0 - 1 } ?? 0
            if isNegative { digits = -digits }
        }
    }

    // MARK: Edits

    /// How much each text keeps of the beginning and the end of its old text, and the new text in
    /// between.
    private func edits() -> [UInt8]? {
        guard let before, before.kinds.allSatisfy({ $0 == .text }) else { return nil }
        var starts: [Int] = []
        var tails: [Int] = []
        var lengths: [Int] = []
        var middle: [UInt8] = []
        for row in 0..<column.count {
            let new = column.bytes[column.byteRange(row)]
            let old = before.bytes[before.byteRange(row)]
            let start = zip(new, old).prefix { $0 == $1 }.count
            let tail = zip(new.dropFirst(start).reversed(), old.dropFirst(start).reversed())
                .prefix { $0 == $1 }.count
            starts.append(start)
            tails.append(tail)
            lengths.append(new.count - start - tail)
            middle += new.dropFirst(start).dropLast(tail)
        }
        var writer = ByteWriter()
        writer.counts(starts)
        writer.counts(tails)
        writer.counts(lengths)
        writer.raw(middle)
        return writer.bytes
    }
}
