/// The values of one column in shared buffers, so that a text needs no allocation of its own.
///
/// A page keeps its rows this way, from the central database's answer to the statement that writes
/// them on a device.
public struct ValueColumn: Hashable, Sendable {
    /// The class of a value.
    public enum Kind: UInt8, Sendable {
        /// NULL, with neither bits nor bytes.
        case null
        /// An integer, in ``ValueColumn/words``.
        case integer
        /// A floating-point number, by its bits in ``ValueColumn/words``.
        case real
        /// A text, as UTF-8 in ``ValueColumn/bytes``.
        case text
        /// A blob, in ``ValueColumn/bytes``.
        case blob
    }

    /// The class of each value.
    public private(set) var kinds: [Kind] = []
    /// The bits of an integer or a real; 0 for a text, a blob or NULL.
    public private(set) var words: [UInt64] = []
    /// Where each value's bytes end. They begin where the bytes of the value before end.
    public private(set) var ends: [Int] = []
    /// The texts' UTF-8 and the blobs.
    public private(set) var bytes: [UInt8] = []

    /// A column without values.
    public init() {}

    /// A column with copies of these values.
    public init(_ values: some Sequence<Value>) {
        for value in values { append(value) }
    }

    /// How many values the column has, NULLs included.
    public var count: Int { kinds.count }

    /// - Precondition: `row` is below ``count``.
    public subscript(row: Int) -> Value {
        switch kinds[row] {
        case .null: .null
        case .integer: .integer(Int64(bitPattern: words[row]))
        case .real: .real(Double(bitPattern: words[row]))
        case .text: .text(String(decoding: bytes[byteRange(row)], as: UTF8.self))
        case .blob: .blob(Array(bytes[byteRange(row)]))
        }
    }

    /// About how many bytes a value needs, as in ``Value/byteCount``.
    ///
    /// - Precondition: `row` is below ``count``.
    public func byteCount(_ row: Int) -> Int {
        switch kinds[row] {
        case .null: 1
        case .integer, .real: 9
        case .text, .blob: byteRange(row).count + 4
        }
    }

    /// Whether the value is NaN, which SQLite stores as NULL.
    ///
    /// - Precondition: `row` is below ``count``.
    package func isNaN(_ row: Int) -> Bool {
        kinds[row] == .real && Double(bitPattern: words[row]).isNaN
    }

    /// The range of the bytes of a text or blob.
    package func byteRange(_ row: Int) -> Range<Int> {
        (row == 0 ? 0 : ends[row - 1])..<ends[row]
    }

    // MARK: Adding

    /// Adds a value at the end.
    public mutating func append(_ value: Value) {
        switch value {
        case .null: appendNull()
        case .integer(let number): append(number)
        case .real(let number): append(number)
        case .text(var text): text.withUTF8 { append(text: UnsafeRawBufferPointer($0)) }
        case .blob(let blob): blob.withUnsafeBytes { append(blob: $0) }
        }
    }

    /// Adds a NULL at the end.
    public mutating func appendNull() { append(.null, 0) }

    /// Adds an integer at the end, without a ``Value`` for it.
    public mutating func append(_ number: Int64) { append(.integer, UInt64(bitPattern: number)) }

    /// NaN is kept in one form: ``Swift/Double/withOneNaN``.
    public mutating func append(_ number: Double) { append(.real, number.withOneNaN.bitPattern) }

    /// - Parameter text: UTF-8, which the caller has checked.
    public mutating func append(text: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: text)
        append(.text, 0)
    }

    /// - Parameter blob: Bytes, which the column copies.
    public mutating func append(blob: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: blob)
        append(.blob, 0)
    }

    /// Adds some of another column's values.
    ///
    /// - Precondition: `rows` are rows of `other`.
    public mutating func append(_ other: ValueColumn, rows: Range<Int>) {
        if kinds.isEmpty, rows == 0..<other.count {
            self = other
            return
        }
        guard let last = rows.last else { return }
        let first = other.byteRange(rows.lowerBound).lowerBound
        let shift = bytes.count - first
        kinds.append(contentsOf: other.kinds[rows])
        words.append(contentsOf: other.words[rows])
        ends.append(contentsOf: other.ends[rows].lazy.map { $0 + shift })
        bytes.append(contentsOf: other.bytes[first..<other.ends[last]])
    }

    /// Makes room for this many values. The size of their bytes is not known.
    public mutating func reserve(_ count: Int) {
        kinds.reserveCapacity(count)
        words.reserveCapacity(count)
        ends.reserveCapacity(count)
    }

    private mutating func append(_ kind: Kind, _ word: UInt64) {
        kinds.append(kind)
        words.append(word)
        ends.append(bytes.count)
    }

    // MARK: Whole columns

    package static func nulls(_ count: Int) -> ValueColumn {
        ValueColumn(
            kinds: Array(repeating: .null, count: count), words: Array(repeating: 0, count: count),
            ends: Array(repeating: 0, count: count), bytes: [])
    }

    /// A column of integers, without NULLs.
    public static func integers(_ numbers: [Int64]) -> ValueColumn {
        ValueColumn(
            kinds: Array(repeating: .integer, count: numbers.count),
            words: numbers.map { UInt64(bitPattern: $0) },
            ends: Array(repeating: 0, count: numbers.count), bytes: [])
    }

    /// Reals by their bits. NaN is kept in one form: ``Swift/Double/withOneNaN``.
    public static func reals(_ words: [UInt64]) -> ValueColumn {
        var words = words
        for (row, word) in words.enumerated() where Double(bitPattern: word).isNaN {
            words[row] = Double.nan.bitPattern
        }
        return ValueColumn(
            kinds: Array(repeating: .real, count: words.count), words: words,
            ends: Array(repeating: 0, count: words.count), bytes: [])
    }

    /// Texts, or blobs, by their bytes and where each ends.
    ///
    /// - Precondition: `ends` never decreases, and its last element is the number of bytes. Texts
    ///   are UTF-8.
    package static func strings(_ kind: Kind, _ bytes: [UInt8], ends: [Int]) -> ValueColumn {
        ValueColumn(
            kinds: Array(repeating: kind, count: ends.count),
            words: Array(repeating: 0, count: ends.count), ends: ends, bytes: bytes)
    }

    private init(kinds: [Kind], words: [UInt64], ends: [Int], bytes: [UInt8]) {
        self.kinds = kinds
        self.words = words
        self.ends = ends
        self.bytes = bytes
    }

    // MARK: Parts

    /// The values at these rows.
    ///
    /// - Precondition: Each is below ``count``.
    package func picked(_ rows: [Int]) -> ValueColumn {
        var picked = ValueColumn()
        bytes.withUnsafeBytes { bytes in
            for row in rows {
                if ends[row] > (row == 0 ? 0 : ends[row - 1]) {
                    picked.bytes.append(
                        contentsOf: UnsafeRawBufferPointer(rebasing: bytes[byteRange(row)]))
                }
                picked.append(kinds[row], words[row])
            }
        }
        return picked
    }

    /// The same values, with NULLs where `isPresent` is `false`.
    ///
    /// - Precondition: `isPresent` is `true` as often as the column has values.
    package func spread(_ isPresent: [Bool]) -> ValueColumn {
        var spread = ValueColumn()
        spread.bytes = bytes
        var next = 0
        var end = 0
        for isPresent in isPresent {
            if isPresent {
                spread.kinds.append(kinds[next])
                spread.words.append(words[next])
                end = ends[next]
                next += 1
            } else {
                spread.kinds.append(.null)
                spread.words.append(0)
            }
            spread.ends.append(end)
        }
        return spread
    }
}
