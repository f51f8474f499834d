import MoorageCore
import MoorageWire

/// What the user of one exchange may do.
struct UserRights: Sendable {
    /// The user's roles, as far as the configuration names them. Users with the same ones have the
    /// same rights.
    let roles: Set<String>
    /// What each of the user's roles allows, by table.
    private let tables: [String: [TableRights]]
    private let columns: [String: ColumnSettings]
    /// The column of the deletion marker, by table.
    private let deletionMarkers: [String: String]
    private let scopeRules: [String: [ScopeRule]]

    init(_ configuration: HubConfiguration, of principal: Principal?) {
        let settings = configuration.rights
        let own = Set(
            [RightSettings.everyone] + (principal?.claims[settings.roleClaim] ?? []))
        roles = own.filter { role in settings.tables.values.contains { $0[role] != nil } }
        tables = settings.tables.mapValues { rights in
            own.compactMap { rights[$0] }.filter(\.read)
        }
        columns = configuration.columns
        deletionMarkers = configuration.rules.compactMapValues(\.softDelete)
        scopeRules = configuration.scopes.rules
    }

    private func rights(_ table: String) -> [TableRights] { tables[table] ?? [.all] }

    func mayRead(_ table: String) -> Bool { !rights(table).isEmpty }

    func mayInsert(_ table: String) -> Bool { rights(table).contains(where: \.insert) }

    func mayDelete(_ table: String) -> Bool { rights(table).contains(where: \.delete) }

    /// Whether rows of the table can leave scopes at all.
    func hasScopes(_ table: String) -> Bool { scopeRules[table] != nil }

    /// Whether an update of these columns may take a row out of the user's scopes.
    func mayMove(_ table: String, by columns: [String]) -> Bool {
        rights(table).contains { role in
            role.move && role.update && columns.allSatisfy { role.names($0) }
        }
    }

    /// Whether an insert may set a column. It leaves other columns to the database.
    func mayInsert(_ column: String, of table: String) -> Bool {
        rights(table).contains { $0.insert && $0.names(column) }
    }

    private func mayUpdate(_ column: String, of table: String) -> Bool {
        rights(table).contains { $0.update && $0.names(column) }
    }

    /// A write without the columns that nobody asked to change and that the user may not set. Whole
    /// rows name such columns, and the central row has other values by now.
    func trimmed(_ write: MergeResult.Write, _ change: ResolvedChange) -> MergeResult.Write {
        let table = change.table.attached.name
        guard tables[table] != nil, case .update(let values) = write,
            case .update(let edits) = change.change.operation
        else { return write }
        let left = values.filter { value in
            edits.first { $0.column == value.column }?.isChange ?? true
                || mayUpdate(change.table.restricted.columns[value.column].name, of: table)
        }
        return left.isEmpty ? .none : .update(left)
    }

    /// The change without the fills that the user, or a device at all, may not write. Nobody edited
    /// these columns, so nothing is refused.
    func permitted(_ change: Change, in table: RequestedTable) -> Change {
        change.keepingFills { fill in
            table.restricted.direction.acceptsChanges
                && refusal(
                    ofUpdating: [table.restricted.columns[fill.column].name], table.attached.name)
                    == nil
        }
    }

    /// Why the hub does not take a change, whatever the database contains; `nil` when it may.
    func refusal(of change: ResolvedChange) -> Refusal? {
        let table = change.table.attached.name
        guard mayRead(table) else { return Refusal.mayNotUse(table) }
        switch change.change.operation {
        case .refetch: return nil
        case .insert: return mayInsert(table) ? nil : Refusal.mayNotInsert(into: table)
        case .delete: return mayDelete(table) ? nil : Refusal.mayNotDelete(from: table)
        case .update(let edits):
            let edited = edits.filter(\.isChange)
            if edited.isEmpty { return nil }
            return refusal(
                ofUpdating: edited.map { change.table.restricted.columns[$0.column].name }, table)
        }
    }

    /// Why the hub does not write what the rules made of a change. An insert may have become an
    /// update, or an update an insert.
    func refusal(of write: MergeResult.Write, _ change: ResolvedChange) -> Refusal? {
        let table = change.table.attached.name
        switch write {
        case .none: return nil
        case .insert, .keepBoth:
            return mayInsert(table) ? nil : Refusal.mayNotInsert(into: table)
        case .delete: return mayDelete(table) ? nil : Refusal.mayNotDelete(from: table)
        case .update(let values):
            return refusal(
                ofUpdating: values.map { change.table.restricted.columns[$0.column].name }, table)
        }
    }

    /// Why a soft-deleted row may not come back; `nil` when it may.
    func refusal(ofClearing marker: String, of table: String) -> Refusal? {
        refusal(ofUpdating: [marker], table)
    }

    /// Why the hub does not let an update set these columns; `nil` when it may.
    func refusal(
        ofUpdating names: @autoclosure () -> [String], _ table: String
    ) -> Refusal? {
        // Most tables are everyone's, and each change is checked here twice.
        if tables[table] == nil, columns[table] == nil { return nil }
        guard rights(table).contains(where: \.update) else {
            return Refusal.mayNotUpdate(table)
        }
        for name in names() {
            if columns[table]?.downOnly.contains(where: { $0.hasSameBytes(as: name) }) == true {
                return Refusal.columnFromHubAlone(name, of: table)
            }
            guard mayUpdate(name, of: table) else {
                return Refusal.mayNotChange(name, of: table)
            }
            // Setting the deletion marker deletes the row, and clearing it undoes that.
            if deletionMarkers[table]?.hasSameBytes(as: name) == true, !mayDelete(table) {
                return Refusal.mayNotDelete(from: table)
            }
        }
        return nil
    }
}

extension TableRights {
    /// Whether a column is among those that the role may set.
    fileprivate func names(_ column: String) -> Bool {
        columns?.contains { $0.hasSameBytes(as: column) } ?? true
    }
}
