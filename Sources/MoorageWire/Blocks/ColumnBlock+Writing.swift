import MoorageCore

extension ByteWriter {
    /// Writes a column in the shortest form that fits.
    ///
    /// - Parameters:
    ///   - key: The columns of the rows' keys, which a column may repeat.
    ///   - before: The values before an edit, one for each value.
    mutating func column(
        _ column: ValueColumn, key: [ValueColumn] = [], before: ValueColumn? = nil
    ) {
        reserve(values: column.count)
        reserve(values: BlockMemory.valuesOfColumn)
        reserve(bytes: column.bytes.count)
        if let part = key.firstIndex(of: column), column.count > 0 {
            form(.keyPart)
            return count(part)
        }
        let present = column.kinds.indices.filter { column.kinds[$0] != .null }
        guard let first = present.first else { return form(.nulls) }
        guard present.count < column.count else {
            return values(column, before: before, hasNulls: false)
        }
        let kind = column.kinds[first]
        let isMixed = present.contains { column.kinds[$0] != kind }
        if isMixed { return mixed(column) }
        values(column.picked(present), before: before?.picked(present), hasNulls: true) {
            $0.bits(column.kinds.map { $0 != .null })
        }
    }

    private mutating func form(_ form: BlockForm, hasNulls: Bool = false) {
        byte(form.rawValue | (hasNulls ? BlockForm.someNulls : 0))
    }

    /// Eight bits in each byte, the lowest bit first.
    private mutating func bits(_ bits: [Bool]) {
        for start in stride(from: 0, to: bits.count, by: 8) {
            var byte: UInt8 = 0
            for offset in 0..<min(8, bits.count - start) where bits[start + offset] {
                byte |= 1 << UInt8(offset)
            }
            self.byte(byte)
        }
    }

    private mutating func mixed(_ column: ValueColumn) {
        form(.mixed)
        raw(column.kinds.map(\.rawValue))
        for row in 0..<column.count {
            switch column.kinds[row] {
            case .null: break
            case .integer: zigzag(Int64(bitPattern: column.words[row]))
            case .real: real(column.words[row])
            case .text, .blob:
                let range = column.byteRange(row)
                count(range.count)
                raw(column.bytes[range])
            }
        }
    }

    private mutating func real(_ bits: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) {
            byte(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
    }

    /// Writes values that are not NULL.
    private mutating func values(
        _ column: ValueColumn, before: ValueColumn?, hasNulls: Bool,
        _ writeNulls: (inout ByteWriter) -> Void = { _ in }
    ) {
        func begin(_ form: BlockForm, _ writer: inout ByteWriter) {
            writer.form(form, hasNulls: hasNulls)
            writeNulls(&writer)
        }
        guard let kind = column.kinds.first, column.kinds.allSatisfy({ $0 == kind }) else {
            return mixed(column)
        }
        switch kind {
        case .null: form(.nulls)
        case .integer:
            let numbers = column.words.map { Int64(bitPattern: $0) }
            var plain = ByteWriter()
            plain.integers(numbers)
            if let before, before.kinds.allSatisfy({ $0 == .integer }) {
                var differences = ByteWriter()
                differences.integers(
                    zip(numbers, before.words).map { $0 &- Int64(bitPattern: $1) })
                if differences.bytes.count < plain.bytes.count {
                    begin(.differences, &self)
                    return raw(differences.bytes)
                }
            }
            begin(.integers, &self)
            raw(plain.bytes)
        case .real:
            if let decimals = DecimalReals(column.words), decimals.bytes.count < 8 * column.count {
                begin(.decimalReals, &self)
                return raw(decimals.bytes)
            }
            begin(.reals, &self)
            // The first bytes of all values come first, then the second ones, so that similar bytes
            // are side by side.
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                raw(column.words.map { UInt8(truncatingIfNeeded: $0 >> shift) })
            }
        case .text:
            let (form, body) = TextForms(column, before: before).shortest()
            if form == .decimals {
                reserve(bytes: BlockMemory.bytesOfDecimal * column.count - column.bytes.count)
            }
            begin(form, &self)
            raw(body)
        case .blob:
            begin(.blobs, &self)
            counts(column.lengths)
            raw(column.bytes)
        }
    }
}

extension ValueColumn {
    var lengths: [Int] {
        var start = 0
        return ends.map { end in
            defer { start = end }
            return end - start
        }
    }
}
