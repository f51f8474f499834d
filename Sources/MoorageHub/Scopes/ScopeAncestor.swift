import MoorageCore

/// A table whose rows decide about the scopes of rows in a table below it. It has triggers for
/// that.
public struct ScopeAncestor {
    /// The name of the table that decides, and that gets the triggers.
    public let table: String
    /// Its columns by which rows below are found.
    public let columns: [String]
    /// Its columns that decide about scopes in another way.
    public let deciding: [String]
    /// The adjacent level of the path, from which joins lead down to the scoped table.
    public let top: Int
    /// The columns there that equal ``columns``.
    public let met: [String]
    /// The path on which the table is, in the connector's SQL.
    public let path: ScopeSQL
    /// Whether its rows refer to the rows of that level, and not the other way round.
    public let isMembers: Bool
}

extension ScopeSQL {
    /// The tables on the way, from below, and the members last.
    public var ancestors: [ScopeAncestor] {
        var ancestors = path.levels.indices.dropFirst().compactMap { level -> ScopeAncestor? in
            guard let link = path.levels[level - 1].link else { return nil }
            return ScopeAncestor(
                table: path.levels[level].table, columns: link.referenced,
                deciding: path.decidingColumns(level), top: level - 1, met: link.columns,
                path: self, isMembers: false)
        }
        if case .members(let members) = path.source {
            ancestors.append(
                ScopeAncestor(
                    table: members.table, columns: members.link.columns,
                    deciding: [members.column], top: path.levels.count - 1,
                    met: members.link.referenced, path: self, isMembers: true))
        }
        return ancestors
    }
}

extension AttachedTable {
    /// The name of an object of this table's on an ancestor table.
    public func ancestorName(_ place: Int, _ kind: String) -> String {
        objectName("upper\(place)_\(kind)")
    }

    /// All names that the table's objects of these kinds can have there, whatever its paths were.
    public func ancestorNames(_ kinds: [String]) -> Set<String> {
        Set(
            (0..<ScopeResolution.maximumAncestors).flatMap { place in
                kinds.map { ancestorName(place, $0) }
            })
    }
}
