import MoorageCore

extension ByteReader {
    /// Reads what ``ByteWriter/column(_:key:before:)`` wrote, with the same `key` and `before`.
    mutating func column(
        _ count: Int, key: [ValueColumn] = [], before: ValueColumn? = nil
    ) throws(HubError) -> ValueColumn {
        try reserve(values: count)
        try reserve(values: BlockMemory.valuesOfColumn)
        let tag = try byte()
        guard let form = BlockForm(rawValue: tag & ~BlockForm.someNulls) else {
            throw Self.error("a form of values that is not known")
        }
        guard tag & BlockForm.someNulls != 0 else {
            return try values(form, count, key: key, before: before)
        }
        switch form {
        case .nulls, .mixed, .keyPart: throw Self.error("a form that has no bits for NULL")
        default: break
        }
        let isPresent = try bits(count)
        let present = isPresent.indices.filter { isPresent[$0] }
        let values = try values(form, present.count, key: key, before: before?.picked(present))
        return values.spread(isPresent)
    }

    private mutating func bits(_ count: Int) throws(HubError) -> [Bool] {
        var bits: [Bool] = []
        bits.reserveCapacity(count)
        for byte in try raw((count + 7) / 8) {
            for offset in 0..<UInt8(8) where bits.count < count {
                bits.append(byte & (1 << offset) != 0)
            }
        }
        return bits
    }

    private mutating func values(
        _ form: BlockForm, _ count: Int, key: [ValueColumn], before: ValueColumn?
    ) throws(HubError) -> ValueColumn {
        switch form {
        case .nulls: return .nulls(count)
        case .mixed: return try mixed(count)
        case .integers: return .integers(try integers(count))
        case .reals: return try reals(count)
        case .texts: return try texts(lengths: lengths(count))
        case .blobs:
            let ends = try ends(of: lengths(count))
            try reserve(bytes: ends.last ?? 0)
            return .strings(.blob, Array(try raw(ends.last ?? 0)), ends: ends)
        case .decimalReals:
            let places = try self.count()
            guard places <= DecimalReals.maximumPlaces else { throw Self.error("no decimals") }
            return .reals(DecimalReals.words(try integers(count), places: places))
        case .uuids: return try uuids(count)
        case .digits: return try digits(count)
        case .decimals: return try decimals(count)
        case .keyPart:
            let part = try self.count()
            guard key.indices.contains(part), key[part].count == count else {
                throw Self.error("a part of the key that there is not")
            }
            try reserve(bytes: key[part].bytes.count)
            return key[part]
        case .edits: return try edits(count, before)
        case .differences:
            guard let before, before.kinds.allSatisfy({ $0 == .integer }) else {
                throw Self.error("differences to what is no number")
            }
            let numbers = try integers(count)
            return .integers(
                zip(numbers, before.words).map { $0 &+ Int64(bitPattern: $1) })
        }
    }

    private mutating func mixed(_ count: Int) throws(HubError) -> ValueColumn {
        let kinds = try raw(count)
        var column = ValueColumn()
        for kind in kinds {
            switch ValueColumn.Kind(rawValue: kind) {
            case .null: column.appendNull()
            case .integer: column.append(try zigzag())
            case .real: column.append(Double(bitPattern: try word()))
            case .text:
                let text = try part()
                try reserve(bytes: text.count)
                guard Self.isUTF8(text, ends: [text.count]) else { throw Self.notUTF8 }
                text.withUnsafeBytes { column.append(text: $0) }
            case .blob:
                let blob = try part()
                try reserve(bytes: blob.count)
                blob.withUnsafeBytes { column.append(blob: $0) }
            case nil: throw Self.error("a class of values that is not known")
            }
        }
        return column
    }

    private mutating func word() throws(HubError) -> UInt64 {
        try raw(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func reals(_ count: Int) throws(HubError) -> ValueColumn {
        var words = [UInt64](repeating: 0, count: count)
        for _ in 0..<8 {
            for (row, byte) in try raw(count).enumerated() {
                words[row] = words[row] << 8 | UInt64(byte)
            }
        }
        return .reals(words)
    }

    // MARK: Texts

    private static let notUTF8 = error("text that is not UTF-8")

    private func ends(of lengths: [Int]) throws(HubError) -> [Int] {
        var end = 0
        var ends: [Int] = []
        ends.reserveCapacity(lengths.count)
        for length in lengths {
            guard length <= bytesLeft - end else {
                throw Self.error("it breaks off")
            }
            end += length
            ends.append(end)
        }
        return ends
    }

    private mutating func texts(lengths: [Int]) throws(HubError) -> ValueColumn {
        let ends = try ends(of: lengths)
        try reserve(bytes: ends.last ?? 0)
        let bytes = Array(try raw(ends.last ?? 0))
        guard Self.isUTF8(bytes, ends: ends) else { throw Self.notUTF8 }
        return .strings(.text, bytes, ends: ends)
    }

    /// Whether the bytes are UTF-8, and no character crosses an end.
    private static func isUTF8(_ bytes: [UInt8], ends: [Int]) -> Bool {
        let isASCII = bytes.withUnsafeBufferPointer { $0.reduce(0, |) < 0x80 }
        if isASCII { return true }
        return String(exactly: bytes) != nil
            && ends.allSatisfy { $0 == bytes.count || bytes[$0] & 0xC0 != 0x80 }
    }

    private mutating func uuids(_ count: Int) throws(HubError) -> ValueColumn {
        try reserve(bytes: 36 * count)
        let packed = try raw(count * 16)
        let text = [UInt8](unsafeUninitializedCapacity: count * 36) { text, length in
            packed.withUnsafeBufferPointer { packed in
                for row in 0..<count {
                    length += UUIDText.write(
                        UnsafeBufferPointer(rebasing: packed[row * 16..<row * 16 + 16]),
                        to: UnsafeMutableBufferPointer(rebasing: text[length...]))
                }
            }
        }
        return .strings(.text, text, ends: Array(stride(from: 36, through: count * 36, by: 36)))
    }

    private mutating func digits(_ count: Int) throws(HubError) -> ValueColumn {
        let pattern = try part()
        guard (1...TextForms.maximumPattern).contains(pattern.count),
            pattern.allSatisfy({ $0 < 0x80 && !(0x31...0x39).contains($0) })
        else { throw Self.error("no pattern of digits") }
        let places = pattern.indices.filter { pattern[$0] == UInt8(ascii: "0") }
        guard !places.isEmpty else { throw Self.error("no pattern of digits") }
        try reserve(bytes: pattern.count * count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * pattern.count)
        for _ in 0..<count { bytes += pattern }
        for first in stride(from: 0, to: places.count, by: 2) {
            let isPair = first + 1 < places.count
            var start = 0
            for number in try raw(count) {
                guard number < (isPair ? 100 : 10) else { throw Self.error("no digits") }
                bytes[start + places[first]] += isPair ? number / 10 : number
                if isPair { bytes[start + places[first + 1]] += number % 10 }
                start += pattern.count
            }
        }
        let length = pattern.count
        return .strings(
            .text, bytes, ends: Array(stride(from: length, through: count * length, by: length)))
    }

    private mutating func decimals(_ count: Int) throws(HubError) -> ValueColumn {
        let scale = try self.count()
        guard scale < TextForms.maximumDigits else { throw Self.error("no decimals") }
        try reserve(bytes: BlockMemory.bytesOfDecimal * count)
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for number in try integers(count) {
            guard number.magnitude < TextForms.decimalLimit else { throw Self.error("no decimal") }
            if number < 0 { bytes.append(UInt8(ascii: "-")) }
            let digits = Array(String(number.magnitude).utf8)
            let padded =
                Array(repeating: UInt8(ascii: "0"), count: max(0, scale + 1 - digits.count))
                + digits
            bytes += padded.dropLast(scale)
            if scale > 0 {
                bytes.append(UInt8(ascii: "."))
                bytes += padded.suffix(scale)
            }
            ends.append(bytes.count)
        }
        return .strings(.text, bytes, ends: ends)
    }

    private mutating func edits(
        _ count: Int, _ before: ValueColumn?
    ) throws(HubError) -> ValueColumn {
        guard let before, before.kinds.allSatisfy({ $0 == .text }) else {
            throw Self.error("edits of what is no text")
        }
        let starts = try lengths(count)
        let tails = try lengths(count)
        let middles = try lengths(count)
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for row in 0..<count {
            let old = before.byteRange(row)
            guard starts[row] <= old.count, tails[row] <= old.count - starts[row] else {
                throw Self.error("an edit that keeps more than there is")
            }
            let middle = try raw(middles[row])
            try reserve(bytes: starts[row] + middle.count + tails[row])
            bytes += before.bytes[old.lowerBound..<old.lowerBound + starts[row]]
            bytes += middle
            bytes += before.bytes[old.upperBound - tails[row]..<old.upperBound]
            ends.append(bytes.count)
        }
        guard Self.isUTF8(bytes, ends: ends) else { throw Self.notUTF8 }
        return .strings(.text, bytes, ends: ends)
    }
}
