import CMariaDB
import MoorageCore

/// The arguments of one statement. Each argument is a column of values, for one row or for many.
struct Parameters {
    struct Column {
        enum Kind { case integer, real, text, blob }
        let kind: Kind
        fileprivate var words: [Int64] = []
        fileprivate var bytes: [UInt8] = []
        fileprivate var starts: [Int] = []
        fileprivate var lengths: [UInt] = []
        fileprivate var indicators: [CChar] = []

        init(_ kind: Kind) { self.kind = kind }

        var count: Int { indicators.count }

        mutating func appendNull() { append(0, [], isNull: true) }
        mutating func append(_ number: Int64) { append(number, [], isNull: false) }
        mutating func append(_ number: Double) {
            append(Int64(bitPattern: number.bitPattern), [], isNull: false)
        }
        mutating func append(_ bytes: some Collection<UInt8>) { append(0, bytes, isNull: false) }

        private mutating func append(
            _ word: Int64, _ new: some Collection<UInt8>, isNull: Bool
        ) {
            indicators.append(isNull ? 1 : 0)
            switch kind {
            case .integer, .real: words.append(word)
            case .text, .blob:
                starts.append(bytes.count)
                lengths.append(UInt(new.count))
                bytes.append(contentsOf: new)
            }
        }

        fileprivate func cell(_ row: Int) -> Column {
            var cell = Column(kind)
            if indicators[row] != 0 {
                cell.appendNull()
            } else if kind == .integer || kind == .real {
                cell.append(words[row])
            } else {
                cell.append(bytes[starts[row]..<(starts[row] + Int(lengths[row]))])
            }
            return cell
        }

        fileprivate var type: enum_field_types {
            switch kind {
            case .integer: MYSQL_TYPE_LONGLONG
            case .real: MYSQL_TYPE_DOUBLE
            case .text: MYSQL_TYPE_STRING
            case .blob: MYSQL_TYPE_BLOB
            }
        }
    }

    private(set) var columns: [Column] = []

    init() {}
    init(_ columns: [Column]) { self.columns = columns }

    var count: Int { columns.count }

    /// The cells of columns of many rows, row by row.
    init(rowsOf columns: [Column]) {
        for row in 0..<(columns.first?.count ?? 0) {
            for column in columns { self.columns.append(column.cell(row)) }
        }
    }

    mutating func add(_ column: Column) { columns.append(column) }

    mutating func add(_ number: Int64) {
        var column = Column(.integer)
        column.append(number)
        columns.append(column)
    }

    mutating func add(_ text: String) {
        var column = Column(.text)
        column.append(text.utf8)
        columns.append(column)
    }

    mutating func add(_ value: Value) {
        var column: Column
        switch value {
        case .null:
            column = Column(.text)
            column.appendNull()
        case .integer(let number):
            column = Column(.integer)
            column.append(number)
        case .real(let number):
            column = Column(.real)
            column.append(number)
        case .text(let text):
            column = Column(.text)
            column.append(text.utf8)
        case .blob(let bytes):
            column = Column(.blob)
            column.append(bytes)
        }
        columns.append(column)
    }

    /// Keeps the memory that the library reads until the statement has run.
    ///
    /// - Parameter isArray: Whether the columns have many rows and are bound as arrays.
    func withBinds<Result>(
        isArray: Bool, _ work: (UnsafeMutablePointer<MYSQL_BIND>?) throws -> Result
    ) rethrows -> Result {
        // Everything the binds point to lives in buffers of our own until the end.
        var owned: [UnsafeMutableRawPointer] = []
        defer { for pointer in owned { pointer.deallocate() } }
        func copy<Element>(_ elements: [Element]) -> UnsafeMutablePointer<Element> {
            let buffer = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
            buffer.initialize(from: elements, count: elements.count)
            owned.append(UnsafeMutableRawPointer(buffer))
            return buffer
        }
        guard !columns.isEmpty else { return try work(nil) }
        let binds = UnsafeMutablePointer<MYSQL_BIND>.allocate(capacity: columns.count)
        binds.initialize(repeating: MYSQL_BIND(), count: columns.count)
        defer { binds.deallocate() }
        for (place, column) in columns.enumerated() {
            let indicators = copy(column.indicators)
            switch column.kind {
            case .integer, .real:
                moorage_bind_parameter(
                    binds + place, column.type, copy(column.words), nil, indicators)
            case .text, .blob:
                let bytes = copy(column.bytes)
                let lengths = copy(column.lengths)
                if isArray {
                    let pointers = copy(column.starts.map { Optional(bytes + $0) })
                    moorage_bind_parameter(
                        binds + place, column.type, pointers, lengths, indicators)
                } else {
                    moorage_bind_parameter(binds + place, column.type, bytes, lengths, indicators)
                }
            }
        }
        return try work(binds)
    }
}
