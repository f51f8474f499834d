import GRDB
import MoorageCore
import MoorageHub
import MoorageWire

/// The scopes of rows, computed from the rules and the current tables, and not from what the hub
/// keeps.
struct ScopedRows {
    let centre: SimulatedCentre

    init(_ centre: SimulatedCentre) { self.centre = centre }

    /// A query for each row's key and each area that it is in; `nil` for a table that is
    /// everyone's.
    func pairs(of table: String) throws -> String? {
        guard let rules = centre.scopes.rules[table] else { return nil }
        return try rules.map { try pairs(of: table, by: $0) }.joined(separator: " UNION ")
    }

    private func pairs(of table: String, by rule: ScopeRule) throws -> String {
        let keys = keyColumns(of: table)
        let list = keys.enumerated().map { "t.\"\($0.element)\" AS k\($0.offset)" }
            .joined(separator: ", ")
        switch rule.source {
        case .everyone: return "SELECT \(list), '*' AS area FROM \"\(table)\" t"
        case .column(_, let column):
            return
                "SELECT \(list), t.\"\(column)\" AS area FROM \"\(table)\" t WHERE t.\"\(column)\" IS NOT NULL"
        case .members(let members, _, let column):
            let isMember = keys.enumerated().map { "m.k\($0.offset) = t.\"\($0.element)\"" }
            return """
                SELECT DISTINCT \(list), m.\"\(column)\" AS area FROM \"\(table)\" t, \(members) m WHERE \
                \(isMember.joined(separator: " AND ")) AND m.\"\(column)\" IS NOT NULL
                """
        case .through(let columns):
            guard let parent = try parent(of: table, by: columns),
                let above = try pairs(of: parent)
            else { return "SELECT \(list), '*' AS area FROM \"\(table)\" t" }
            let isBelow = columns.enumerated().map { "p.k\($0.offset) = t.\"\($0.element)\"" }
            return """
                SELECT \(list), p.area AS area FROM \"\(table)\" t, (\(above)) p WHERE \
                \(isBelow.joined(separator: " AND "))
                """
        }
    }

    func keyColumns(of table: String) -> [String] {
        (centre.columns[table] ?? []).keys.map(\.name)
    }

    private func parent(of table: String, by columns: [String]) throws -> String? {
        try centre.references(of: table).first { $0.columns == columns }?.parent
    }
}

/// What a user sees of the central database, or a device gets of that: the rows in some areas, as
/// the user had them at one moment.
struct VisibleRows {
    private let rows: ScopedRows
    let areas: Set<Value>

    /// - Returns: `nil` in a world without scopes.
    init?(_ centre: SimulatedCentre, of user: String?) throws {
        guard !centre.scopes.rules.isEmpty else { return nil }
        rows = ScopedRows(centre)
        let person = Value.text(user ?? "").literal
        areas = Set(
            try centre.write {
                try $0.rawRows(
                    "SELECT area FROM \(SimulatedScopes.holdings) WHERE person = \(person)")
            }.map { $0[0] })
    }

    private init(_ rows: ScopedRows, in areas: Set<Value>) {
        self.rows = rows
        self.areas = areas
    }

    /// What of it a device gets that asks for these scopes.
    func delivered(_ requested: [RequestedScope]) -> VisibleRows {
        guard rows.centre.scopes.onRequest.contains(SimulatedScopes.kind) else { return self }
        let wanted = Set(requested.map(\.scope))
        return VisibleRows(
            rows, in: areas.filter { area in Self.scope(of: area).map(wanted.contains) ?? false })
    }

    /// The scopes of the rows.
    var scopes: Set<Scope> { Set(areas.compactMap(Self.scope)).union([.everything]) }

    private static func scope(of area: Value) -> Scope? {
        CentralAudit.text(area).map(SimulatedScopes.scope)
    }

    /// Whether a row of a table is visible, as SQL; `nil` for a table that is everyone's.
    func condition(on table: String) throws -> String? {
        guard let pairs = try rows.pairs(of: table) else { return nil }
        let keys = rows.keyColumns(of: table)
        let list = keys.map { "\"\($0)\"" }.joined(separator: ", ")
        let found = keys.indices.map { "k\($0)" }.joined(separator: ", ")
        let names = (areas.map(\.literal) + ["'*'"]).sorted().joined(separator: ", ")
        return "(\(list)) IN (SELECT \(found) FROM (\(pairs)) WHERE area IN (\(names)))"
    }

    /// Rows of the central database that the user does not see.
    func hiddenRows() throws -> Set<RowName> {
        var hidden: Set<RowName> = []
        for table in rows.centre.tables {
            guard let condition = try condition(on: table) else { continue }
            for key in try keys(of: table, where: "NOT (\(condition))") {
                hidden.insert(RowName(table: table, key: RowKey(key)))
            }
        }
        return hidden
    }

    private func keys(of table: String, where condition: String) throws -> [[Value]] {
        let list = rows.keyColumns(of: table).map { "\"\($0)\"" }.joined(separator: ", ")
        return try rows.centre.write {
            try $0.rawRows("SELECT \(list) FROM \"\(table)\" WHERE \(condition)")
        }
    }

    /// Checks that a page that was just read contains no other row.
    func check(_ page: Page, to device: Int) throws {
        for part in page.tables where rows.centre.scopes.rules[part.table] != nil {
            guard let condition = try condition(on: part.table) else { continue }
            let visible = Set(try keys(of: part.table, where: condition))
            let positions = rows.keyColumns(of: part.table).compactMap {
                part.columns.firstIndex(of: $0)
            }
            for row in part.rows {
                let key = positions.map { row[$0] }
                guard !visible.contains(key) else { continue }
                throw Violation(
                    .scopes,
                    "device \(device) is sent \(part.table) \(key.jsonText()), which its user may not see, or it did not ask for"
                )
            }
        }
    }
}

extension JudgedPush {
    func isScoped(_ table: String) -> Bool { centre.scopes.rules[table] != nil }

    /// Whether a device may push rows of a table that it does not get back.
    func comesOnRequest(_ table: String) -> Bool {
        isScoped(table) && !centre.scopes.onRequest.isEmpty
    }

    /// Checks that the hub does not refuse a change of a row that its user sees, before and after,
    /// as if the user did not. What the device subscribes to does not matter.
    func checkSeenRows(_ visible: VisibleRows?) throws {
        guard let areas = visible?.areas, !hasMoves else { return }
        for (change, outcome) in pairs {
            guard case .refused(let refusal) = outcome.kind, refusal.code == .permission,
                rights[change.table] == nil, !change.isQuestion,
                let column = areaColumn(of: change.table),
                let area = areaAfter(change, in: column), areas.contains(area)
            else { continue }
            throw Violation(
                .scopes,
                "batch \(batch.number): \(change.table) \(change.key.values.jsonText()) was refused, and its user sees \(area.literal)"
            )
        }
    }

    /// Whether anyone may move rows out of their own sight.
    var hasMoves: Bool { rights.values.contains { $0.values.contains(where: \.move) } }

    /// The column that names a row's area; `nil` for a table without one.
    private func areaColumn(of table: String) -> String? {
        for rule in centre.scopes.rules[table] ?? [] {
            if case .column(_, let column) = rule.source { return column }
        }
        return nil
    }

    /// The area of a row that a change inserts, or leaves where it is; `nil` for other changes.
    private func areaAfter(_ change: Change, in column: String) -> Value? {
        let names = columns(change)
        let row = before.rows[change.rowName]
        switch change.operation {
        case .insert(let values):
            guard row == nil, let place = names.firstIndex(of: column) else { return nil }
            return values[place]
        case .update(let edits):
            return edits.contains { names[$0.column] == column } ? nil : row?[column]
        case .delete, .refetch: return nil
        }
    }

    /// Checks that a row that a user does not see does not change, whatever the user's device
    /// pushes.
    func checkHiddenRows() throws {
        for name in hidden where before.rows[name] != after.rows[name] {
            throw Violation(
                .scopes,
                "batch \(batch.number) changed \(name.table) \(name.key.values.jsonText()), which its user may not see"
            )
        }
    }

    /// Checks that a user still sees what the user's device writes.
    func checkWrittenRows(_ visible: VisibleRows?) throws {
        let hidden = try visible?.hiddenRows() ?? []
        if hidden.isEmpty { return }
        for (change, outcome) in pairs
        where hidden.contains(change.rowName) && !self.hidden.contains(change.rowName) {
            guard !isRefused(outcome) else { continue }
            throw Violation(
                .scopes,
                "batch \(batch.number) took \(change.table) \(change.key.values.jsonText()) out of its user's sight"
            )
        }
    }
}
