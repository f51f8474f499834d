import MoorageCore
import MoorageWire

/// What the user may write, as the welcome says it. The same functions answer here that refuse a
/// change later, so the two cannot differ.
extension UserRights {
    /// - Parameter tables: The attached tables. The answer does not depend on those that a replica
    ///   asks for. Otherwise its version would change with each request.
    func answer(on tables: [AttachedTable]) -> RightsAnswer {
        let limited = tables.compactMap { answer(on: $0) }
        var fingerprint = Fingerprint()
        fingerprint.add(RightsAnswer(version: "", tables: limited).encoded())
        return RightsAnswer(version: fingerprint.hex, tables: limited)
    }

    /// - Returns: `nil` where the user may do all that the schema allows to anybody.
    private func answer(on table: AttachedTable) -> TableRightsAnswer? {
        let (name, description) = (table.name, table.description)
        // The schema says already that no device writes this table. It also says which columns are
        // the key's, and which ones are written by the hub alone.
        guard description.direction.acceptsChanges else { return nil }
        let columns = description.columns.indices
            .filter { !description.isKey($0) && !description.columns[$0].isGenerated }
            .map { description.columns[$0].name }
        let updatable = columns.filter { refusal(ofUpdating: [$0], name) == nil }
        let mayUpdate =
            refusal(ofUpdating: [], name) == nil && (columns.isEmpty || !updatable.isEmpty)
        let answer = TableRightsAnswer(
            table: name,
            insert: mayInsert(name)
                ? WritableColumns(columns.filter { mayInsert($0, of: name) }, among: columns) : nil,
            update: mayUpdate ? WritableColumns(updatable, among: columns) : nil,
            mayDelete: mayDelete(name),
            mayMove: mayUpdate
                && (!hasScopes(name) || columns.isEmpty
                    || updatable.contains { mayMove(name, by: [$0]) })
        )
        let everything = TableRightsAnswer(
            table: name, insert: .all, update: .all, mayDelete: true, mayMove: true)
        return answer == everything ? nil : answer
    }
}

extension WritableColumns {
    fileprivate init(_ columns: [String], among all: [String]) {
        self = columns.count == all.count ? .all : .only(columns)
    }
}
