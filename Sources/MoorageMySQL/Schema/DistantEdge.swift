import MoorageCore
import MoorageHub

/// A foreign key of the owner's whose actions begin in another database, where Moorage has no
/// triggers. (InnoDB fires no triggers for what an action does.)
struct DistantEdge {
    let child: String
    let name: String
    let columns: [String]
    let database: String
    let parent: String
    let referenced: [String]

    /// Why a table cannot be synced because of it; `nil` where its actions do not reach the table.
    func problem(of table: String, edges: [ForeignEdge]) -> TableProblem? {
        guard reaches(table, edges) else { return nil }
        let alter = "ALTER TABLE \(SQLText.ownersName(child))"
        func list(_ names: [String]) -> String {
            names.map(SQLText.ownersName).joined(separator: ", ")
        }
        return TableProblem.distantActions(
            of: self, on: table,
            repair: [
                "\(alter) DROP FOREIGN KEY \(SQLText.ownersName(name))",
                """
                \(alter) ADD CONSTRAINT \(SQLText.ownersName(name)) FOREIGN KEY (\(list(columns))) \
                REFERENCES \(SQLText.ownersName(database)).\(SQLText.ownersName(parent)) (\(list(referenced)))
                """,
            ])
    }

    /// Whether the actions of other foreign keys lead from the child to a table.
    private func reaches(_ table: String, _ edges: [ForeignEdge]) -> Bool {
        var reached: Set<[UInt8]> = [Array(child.utf8)]
        var open = [child]
        while let next = open.popLast() {
            if next.hasSameBytes(as: table) { return true }
            for edge in edges where edge.acts && edge.parent.hasSameBytes(as: next) {
                if reached.insert(Array(edge.child.utf8)).inserted { open.append(edge.child) }
            }
        }
        return false
    }
}
