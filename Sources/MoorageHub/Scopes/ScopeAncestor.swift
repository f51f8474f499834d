import MoorageCore

/// A table whose rows decide about the scopes of a table's rows below it: triggers stand on it for them.
public struct ScopeAncestor {
    public let table: String
    /// Its columns by which rows below are found.
    public let columns: [String]
    /// What else of it decides.
    public let deciding: [String]
    /// The level of the path next to it, from which the scoped table is joined down.
    public let top: Int
    /// The columns there that meet ``columns``.
    public let met: [String]
    public let path: ScopeSQL
    /// Its rows refer to the level's, not the level's to them.
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
    /// The name of an object of this table's on an upper table.
    public func ancestorName(_ place: Int, _ kind: String) -> String {
        objectName("upper\(place)_\(kind)")
    }

    /// Every such name that the table's objects of these kinds can have, whatever its paths were.
    public func ancestorNames(_ kinds: [String]) -> Set<String> {
        Set(
            (0..<ScopeResolution.maximumAncestors).flatMap { place in
                kinds.map { ancestorName(place, $0) }
            })
    }
}
