package import MoorageCore

/// A batch in blocks (docs/reference/protocol.md, 11.4). First come the fields that all changes
/// have, column by column. Then, table by table, come their keys, the inserted and deleted rows,
/// and the edits.
extension Batch {
    /// No JSON begins with this byte.
    static let batchTag: UInt8 = 1

    /// The batch in blocks. The replica keeps it in flight, and sends it where the hub takes
    /// blocks. A batch is written as JSON when a row or key is not as wide as its table says: JSON
    /// can express that. A batch that has fills, or that its reader would find too large, is JSON,
    /// too.
    package func block() -> [UInt8] { block(within: DecodingMemory.maximum) }

    /// - Parameter memory: The most memory, in bytes, that the batch may need at its reader.
    func block(within memory: Int) -> [UInt8] {
        guard let tables = ChangesOfTables(self) else { return encoded() }
        var writer = ByteWriter()
        writer.byte(Self.batchTag)
        var head = JSONWriter()
        head.object {
            writeHead(to: &$0)
            $0.name("count")
            $0.integer(Int64(changes.count))
        }
        writer.head(head.bytes)
        guard !changes.isEmpty else { return writer.bytes }
        writer.reserve(values: changes.count, each: BlockMemory.valuesOfChange)
        writer.counts(tables.positions)
        writer.counts(changes.map { Int(BlockOperation($0.operation).rawValue) })
        writer.integers(changes.map(\.editedAt.milliseconds))
        writer.counts(changes.map { $0.isAgain ? 1 : 0 })
        writer.column(
            ValueColumn(changes.map { $0.group.map { .integer(Int64($0)) } ?? .null }))
        for (table, changes) in zip(self.tables, tables.changes) where !changes.isEmpty {
            ChangeBlock(changes, columns: table.columns.count).write(to: &writer)
        }
        return writer.memory <= memory ? writer.bytes : encoded()
    }

    init(_ reader: inout ByteReader) throws(HubError) {
        guard try reader.byte() == Self.batchTag else { throw ByteReader.error("no batch") }
        let head = try JSONReading(parsing: try reader.part(), memory: reader.memory)
        let tables = try head.member("tables").tables()
        let count = try head.member("count").count()
        self.init(
            number: try head.batchNumber(), nonce: try head.nonce(),
            preparedAt: try head.member("preparedAt").time(), tables: tables,
            changes: count == 0 ? [] : try reader.changes(count, of: tables))
    }
}

/// A batch's changes, table by table.
private struct ChangesOfTables {
    /// For each change the position of its table.
    private(set) var positions: [Int] = []
    /// For each table its changes, in the batch's order.
    private(set) var changes: [[Change]]

    /// `nil` where a table is missing, or a row or key is not as wide as its table says. Also where
    /// a change has fills, because blocks have no place for them.
    init?(_ batch: Batch) {
        changes = Array(repeating: [], count: batch.tables.count)
        var tables = ByteKeyedDictionary<Int>()
        for (position, table) in batch.tables.enumerated() { tables[table.name] = position }
        for change in batch.changes {
            guard let position = tables[change.table] else { return nil }
            let columns = batch.tables[position].columns.count
            let parts = change.key.values.count
            guard (1...max(1, columns)).contains(parts),
                changes[position].last.map({ $0.key.values.count == parts }) ?? true,
                Self.isRegular(change.operation, columns: columns)
            else { return nil }
            positions.append(position)
            changes[position].append(change)
        }
    }

    private static func isRegular(_ operation: Change.Operation, columns: Int) -> Bool {
        switch operation {
        case .insert(let row), .delete(let row): row.count == columns
        case .update(let edits):
            edits.allSatisfy { (0..<columns).contains($0.column) && !$0.isFill }
                && Set(edits.map(\.column)).count == edits.count
        case .refetch: true
        }
    }
}

private enum BlockOperation: UInt8 {
    case insert, update, delete, refetch

    init(_ operation: Change.Operation) {
        switch operation {
        case .insert: self = .insert
        case .update: self = .update
        case .delete: self = .delete
        case .refetch: self = .refetch
        }
    }
}

/// The changes of one table, in the batch's order.
private struct ChangeBlock {
    private let changes: [Change]
    private let columnCount: Int

    init(_ changes: [Change], columns: Int) {
        self.changes = changes
        columnCount = columns
    }

    func write(to writer: inout ByteWriter) {
        let parts = changes[0].key.values.count
        writer.count(parts)
        let key = (0..<parts).map { part in
            ValueColumn(changes.map { $0.key.values[part] })
        }
        for part in key { writer.column(part) }
        writeRows(key, to: &writer) { if case .insert(let row) = $0 { row } else { nil } }
        writeRows(key, to: &writer) { if case .delete(let row) = $0 { row } else { nil } }
        writeEdits(to: &writer)
    }

    private func writeRows(
        _ key: [ValueColumn], to writer: inout ByteWriter,
        _ row: (Change.Operation) -> [Value]?
    ) {
        let positions = changes.indices.filter { row(changes[$0].operation) != nil }
        guard !positions.isEmpty else { return }
        let rows = RowColumns(
            positions.compactMap { row(changes[$0].operation) }, columnCount: columnCount)
        let keys = key.map { $0.picked(positions) }
        writer.reserve(values: positions.count)
        for column in rows.columns {
            writer.reserve(values: positions.count)
            writer.column(column, key: keys)
        }
    }

    /// Writes the distinct sets of columns, the set of each update, and then each column's values
    /// before and after.
    private func writeEdits(to writer: inout ByteWriter) {
        var updates: [[ColumnEdit]] = []
        for case .update(let edits) in changes.map(\.operation) { updates.append(edits) }
        guard !updates.isEmpty else { return }
        var numbers: [[Int]: Int] = [:]
        var sets: [[Int]] = []
        let setOfUpdate = updates.map { edits -> Int in
            let columns = edits.map(\.column)
            if let number = numbers[columns] { return number }
            numbers[columns] = sets.count
            sets.append(columns)
            return sets.count - 1
        }
        writer.count(sets.count)
        for columns in sets {
            writer.reserve(values: columns.count)
            writer.count(columns.count)
            for column in columns { writer.count(column) }
        }
        writer.counts(setOfUpdate)
        for edits in updates {
            writer.reserve(values: edits.count, each: BlockMemory.valuesOfChange)
        }
        var editsOfColumn = [[ColumnEdit]](repeating: [], count: columnCount)
        for edits in updates {
            for edit in edits { editsOfColumn[edit.column].append(edit) }
        }
        for edits in editsOfColumn where !edits.isEmpty {
            let before = ValueColumn(edits.map(\.old))
            writer.column(before)
            writer.column(ValueColumn(edits.map(\.new)), before: before)
        }
    }
}

extension ByteReader {
    fileprivate mutating func changes(
        _ count: Int, of tables: [TableColumns]
    ) throws(HubError) -> [Change] {
        // Counts what every change has. Its values are counted as they are read.
        try reserve(values: count, each: BlockMemory.valuesOfChange)
        let positions = try lengths(count)
        let kinds = try integers(count)
        let times = try integers(count)
        let again = try integers(count)
        let groups = try column(count)
        guard positions.allSatisfy(tables.indices.contains) else {
            throw Self.error("no such table")
        }
        var operations: [BlockOperation] = []
        for kind in kinds {
            guard let operation = UInt8(exactly: kind).flatMap(BlockOperation.init) else {
                throw Self.error("a kind of change that is not known")
            }
            operations.append(operation)
        }
        guard again.allSatisfy({ (0...1).contains($0) }) else {
            throw Self.error("neither yes nor no")
        }
        var changes = [Change?](repeating: nil, count: count)
        var changesOfTable: [Int: [Int]] = [:]
        for (index, position) in positions.enumerated() {
            changesOfTable[position, default: []].append(index)
        }
        for (position, own) in changesOfTable.sorted(by: { $0.key < $1.key }) {
            let table = tables[position]
            let columns = table.columns.count
            let parts = try self.count()
            guard (1...max(1, columns)).contains(parts) else { throw Self.error("no key") }
            var key: [ValueColumn] = []
            for _ in 0..<parts { key.append(try column(own.count)) }
            func places(_ operation: BlockOperation) -> [Int] {
                own.indices.filter { operations[own[$0]] == operation }
            }
            let inserts = try rows(at: places(.insert), columns: columns, key: key)
            let deletes = try rows(at: places(.delete), columns: columns, key: key)
            let updates = try edits(places(.update).count, columns: columns)
            var next = (insert: 0, delete: 0, update: 0)
            for (row, index) in own.enumerated() {
                let operation: Change.Operation
                switch operations[index] {
                case .insert:
                    operation = .insert(inserts[next.insert])
                    next.insert += 1
                case .delete:
                    operation = .delete(before: deletes[next.delete])
                    next.delete += 1
                case .update:
                    operation = .update(updates[next.update])
                    next.update += 1
                case .refetch: operation = .refetch
                }
                changes[index] = Change(
                    table: table.name, key: RowKey(key.map { $0[row] }), operation: operation,
                    editedAt: DeviceTime(milliseconds: times[index]), isAgain: again[index] == 1,
                    group: try Self.group(groups[index]))
            }
        }
        return changes.compactMap { $0 }
    }

    private static func group(_ value: Value) throws(HubError) -> Int? {
        switch value {
        case .null: return nil
        case .integer(let number):
            guard number >= 0, let group = Int(exactly: number) else { break }
            return group
        default: break
        }
        throw error("no number of a group")
    }

    private mutating func rows(
        at places: [Int], columns: Int, key: [ValueColumn]
    ) throws(HubError) -> RowColumns {
        guard !places.isEmpty else { return RowColumns(columnCount: columns) }
        // Counts the rows that are made from the columns.
        try reserve(values: places.count)
        let keys = key.map { $0.picked(places) }
        var read: [ValueColumn] = []
        for _ in 0..<columns {
            try reserve(values: places.count)
            read.append(try column(places.count, key: keys))
        }
        return RowColumns(read)
    }

    private mutating func edits(
        _ count: Int, columns: Int
    ) throws(HubError) -> [[ColumnEdit]] {
        guard count > 0 else { return [] }
        let setCount = try self.count()
        guard (1...count).contains(setCount) else { throw Self.error("no sets of columns") }
        var sets: [[Int]] = []
        for _ in 0..<setCount {
            let size = try self.count()
            guard size <= columns else { throw Self.error("a column twice") }
            try reserve(values: size)
            var set: [Int] = []
            for _ in 0..<size { set.append(try self.count()) }
            guard Set(set).count == size, set.allSatisfy({ $0 < columns }) else {
                throw Self.error("no such column, or one twice")
            }
            sets.append(set)
        }
        let setOfUpdate = try lengths(count)
        guard setOfUpdate.allSatisfy(sets.indices.contains) else {
            throw Self.error("no such set of columns")
        }
        /// For each column, which updates have it, and where among their edits.
        var usersOfColumn = [[(update: Int, place: Int)]](repeating: [], count: columns)
        var edits: [[ColumnEdit]] = []
        for (update, set) in setOfUpdate.enumerated() {
            try reserve(values: sets[set].count, each: BlockMemory.valuesOfChange)
            for (place, column) in sets[set].enumerated() {
                usersOfColumn[column].append((update, place))
            }
            edits.append(sets[set].map { ColumnEdit(column: $0, old: .null, new: .null) })
        }
        for column in 0..<columns where !usersOfColumn[column].isEmpty {
            let users = usersOfColumn[column]
            let before = try self.column(users.count)
            let after = try self.column(users.count, before: before)
            for (row, user) in users.enumerated() {
                edits[user.update][user.place] = ColumnEdit(
                    column: column, old: before[row], new: after[row])
            }
        }
        return edits
    }
}
