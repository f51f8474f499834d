import MoorageCore

/// Values that columns had before they were synced, in the rows of one table, until a page brings
/// the hub's (docs/reference/client.md, Columns that begin to sync).
///
/// A row is here once for each such column. The value itself is in the row.
///
/// Where triggers were lost after some pages, a value here may be an older one of the hub's. Such a
/// value is *doubtful*: it is no fill, and the comparison lists it where the hub has another.
///
/// - V2: Such a value stays only where the hub has NULL or the default. The page that finds that
///   logs it as a fill, never as an edit.
struct UndecidedFills {
    let reading: LogReading

    private var table: SyncedTable { reading.table }
    private var name: String { SQLText.name(table.tracked.fillTable) }

    /// Those of the tables that have such values.
    static func tables(
        among tables: [SyncedTable], _ statements: RawStatements
    ) throws -> Set<Identifier> {
        Set(try statements.filled(tables) { $0.tracked.fillTable }.map(\.name))
    }

    func isEmpty() throws -> Bool {
        try !reading.statements("SELECT 1 FROM \(name) LIMIT 1").exists([])
    }

    /// What the table has instead of the place of a column whose value is doubtful.
    static func doubtful(_ place: Int) -> Int { -1 - place }

    /// Some columns of a row, as positions in the synced table. A column that is not synced now is
    /// left out.
    struct Columns {
        var undecided: [Int] = []
        var doubtful: [Int] = []
        var isEmpty: Bool { undecided.isEmpty && doubtful.isEmpty }
    }

    func columns(localKey: LocalKey) throws -> Columns {
        let sql = "SELECT place FROM \(name) WHERE \(reading.isKey)"
        return try reading.run(
            reading.statements(sql), localKey: localKey,
            { (statement: RawStatement) throws -> Columns in
                var columns = Columns()
                while try statement.step() {
                    guard case .value(.integer(let number)) = statement.column(0),
                        let place = Int(exactly: number)
                    else { continue }
                    if let column = column(at: place) {
                        columns.undecided.append(column)
                    } else if let column = column(at: Self.doubtful(place)) {
                        columns.doubtful.append(column)
                    }
                }
                return columns
            }, isFound: { !$0.isEmpty })
    }

    private func column(at place: Int) -> Int? {
        table.columnOfPlace.indices.contains(place) ? table.columnOfPlace[place] : nil
    }

    // MARK: Deciding

    /// Decides what becomes of a row's values, now that a page brings the hub's.
    ///
    /// - Returns: Whether some of them stay, and are logged as fills.
    func decide(
        _ row: [Value], _ localKey: LocalKey, _ layout: PageLayout,
        _ change: () throws -> LocalChange?, at now: DeviceTime
    ) throws -> Bool {
        let open = try columns(localKey: localKey).undecided
        guard !open.isEmpty else { return false }
        let localChange = try change()
        let mine = try reading.portableRow(localKey: localKey)
        var kept: [OldValue] = []
        for (position, column) in layout.columns.enumerated() {
            guard let column, open.contains(column) else { continue }
            let description = table.description.columns[column]
            let theirs = row[position]
            var isKept = false
            switch localChange?.kind {
            // The row goes up whole, or is asked for.
            case .insert, .refetch: break
            // A change that began with a value that the hub never had. The fill says what it has.
            case .delete: isKept = true
            case .update(let old):
                guard let mine else { break }
                guard let before = old.first(where: { $0.column == column })?.value else {
                    isKept = differs(mine[column], from: theirs, column)
                    break
                }
                // The column has its old value, and the answer to the change brings the row.
                if description.type.equal(before, mine[column]) { continue }
                isKept = true
            case nil: isKept = mine.map { differs($0[column], from: theirs, column) } ?? false
            }
            try remove(localKey: localKey, column: column)
            if isKept, description.isUnwritten(theirs) {
                kept.append(OldValue(column: column, value: theirs))
            }
        }
        guard !kept.isEmpty else { return false }
        try reading.append(LogEntry(kind: .fill(kept), at: now), localKey: localKey)
        return true
    }

    /// Whether one of the row's values is about to go, because somebody wrote at the hub.
    ///
    /// - Parameters:
    ///   - hub: The hub's row.
    ///   - local: The row here.
    ///   - edited: Columns that keep their values anyway.
    func loses(
        _ local: [Value], to hub: [Value], _ localKey: LocalKey, except edited: Set<Int> = []
    ) throws -> Bool {
        let columns = try columns(localKey: localKey)
        func isLost(_ column: Int) -> Bool {
            !edited.contains(column) && differs(local[column], from: hub[column], column)
        }
        return columns.undecided.contains {
            isLost($0) && !table.description.columns[$0].isUnwritten(hub[$0])
        } || columns.doubtful.contains { !columns.undecided.contains($0) && isLost($0) }
    }

    /// Whether the row here has a value that the hub's row has not.
    private func differs(_ mine: Value, from theirs: Value, _ column: Int) -> Bool {
        !mine.isNull && !table.description.columns[column].type.equal(mine, theirs)
    }

    // MARK: Forgetting

    /// Forgets one column of a row.
    func remove(localKey: LocalKey, column: Int) throws {
        guard let place = table.placeOfColumn[column] else { return }
        let sql =
            "DELETE FROM \(name) WHERE \(reading.isKey) AND place = ?\(localKey.values.count + 1)"
        try reading.statements(sql).run(localKey.values + [.integer(Int64(place))])
    }

    /// Forgets a row that is gone, or that a page replaced.
    func remove(localKey: LocalKey) throws {
        try reading.statements("DELETE FROM \(name) WHERE \(reading.isKey)").run(localKey.values)
    }

    /// Follows a row to another key.
    func rename(_ key: LocalKey, to newKey: LocalKey) throws {
        let keys = table.logKeyColumns.enumerated().map {
            "\($1) = ?\(key.values.count + $0 + 1)"
        }
        try reading.statements(
            "UPDATE OR REPLACE \(name) SET \(keys.joined(separator: ", ")) WHERE \(reading.isKey)"
        ).run(key.values + newKey.values)
    }

    /// Forgets what the table's first read with these columns did not decide. A row that is
    /// withheld, or has a local change, waits for another page. An insert goes up whole.
    func removeRest() throws {
        try reading.statements("DELETE FROM \(name) WHERE place < 0").run()
        let withheld = WithheldRows(statements: reading.statements)
        guard try !withheld.isEmpty() || !reading.isEmpty() else {
            return try reading.statements("DELETE FROM \(name)").run()
        }
        let keys = table.logKeyColumns.joined(separator: ", ")
        let next = try reading.statements.own("SELECT DISTINCT \(keys) FROM \(name)")
        while try next.step() {
            let localKey = LocalKey(next)
            let name = table.rowName(table.key(localKey))
            if try withheld.contains(name) { continue }
            switch try reading.localChange(localKey: localKey)?.kind {
            case nil, .insert: try remove(localKey: localKey)
            case .update, .delete, .refetch: continue
            }
        }
    }
}

extension ColumnDescription {
    /// What the hub has where nobody wrote: the default if this device knows it, otherwise NULL.
    var unwritten: Value {
        if case .value(let standard) = defaultValue { standard } else { .null }
    }

    /// Whether the hub's value may be one that nobody wrote.
    func isUnwritten(_ theirs: Value) -> Bool { theirs.isNull || type.equal(theirs, unwritten) }
}
