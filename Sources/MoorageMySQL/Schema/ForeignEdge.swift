import MoorageCore

/// A foreign key of the owner's, between any two tables of the database.
struct ForeignEdge: Hashable, Sendable {
    let child: String
    var columns: [String]
    let parent: String
    var referenced: [String]
    let onDelete: ForeignKey.Action
    let onUpdate: ForeignKey.Action
}

extension [ForeignEdge] {
    /// Whether foreign keys lead from a table back to it.
    func isInCycle(_ table: String) -> Bool {
        var reached: Set<[UInt8]> = []
        var open = [table]
        while let next = open.popLast() {
            for edge in self where edge.child.hasSameBytes(as: next) {
                if edge.parent.hasSameBytes(as: table) { return true }
                if reached.insert([UInt8](edge.parent.utf8)).inserted { open.append(edge.parent) }
            }
        }
        return false
    }
}
