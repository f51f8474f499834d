import MoorageCore
import MoorageHub

/// Which rows belong to whom, in the generator's model. One table is divided into areas, and the
/// rows below it go with their parents.
struct ScopeModel {
    static let areas = ["n", "s", "e"]
    static let people = ["ann", "bob", "carl"]

    let root: TableModel
    let hasColumn: Bool
    let hasMembers: Bool
    /// Gives people their areas before anything happens.
    let firstRows: [String]

    /// The area of a row, as SQL.
    static func area(_ random: inout SeededGenerator) -> String {
        random.chance(6) ? "NULL" : "'\(random.pick(areas) ?? "n")'"
    }

    static func random(root: TableModel, _ random: inout SeededGenerator) -> ScopeModel {
        var rows: [String] = []
        for person in people {
            for area in areas where random.chance(60) {
                rows.append(
                    "INSERT INTO \(SimulatedScopes.holdings) VALUES ('\(person)', '\(area)')")
            }
        }
        let hasMembers = random.chance(50)
        return ScopeModel(
            root: root, hasColumn: !hasMembers || random.chance(80), hasMembers: hasMembers,
            firstRows: rows)
    }

    var rules: [ScopeRule] {
        var rules: [ScopeRule] = []
        if hasColumn {
            rules.append(
                ScopeRule(.column(kind: SimulatedScopes.kind, SimulatedScopes.column)))
        }
        if hasMembers {
            rules.append(
                ScopeRule(
                    .members(
                        of: SimulatedScopes.members, kind: SimulatedScopes.kind,
                        SimulatedScopes.column)))
        }
        return rules
    }

    /// The owner's tables that no device has.
    var tablesSQL: [String] {
        guard hasMembers else { return [SimulatedScopes.holdingsSQL] }
        let columns = root.keys.enumerated().map { "k\($0.offset) \($0.element.kind.rawValue)" }
        let names = root.keys.indices.map { "k\($0)" }.joined(separator: ", ")
        return [
            SimulatedScopes.holdingsSQL,
            """
            CREATE TABLE \(SimulatedScopes.members) (id INTEGER PRIMARY KEY, \
            \(columns.joined(separator: ", ")), area TEXT, FOREIGN KEY (\(names)) REFERENCES \
            \(root.name.sqlName)(\(root.keyList)) ON DELETE CASCADE ON UPDATE CASCADE)
            """,
        ]
    }

    /// A person gets or loses an area, or a row moves to another area.
    func statement(_ random: inout SeededGenerator) -> String {
        let area = random.pick(Self.areas) ?? "n"
        let place = Int.random(in: 0..<6, using: &random)
        let third = random.below(3)
        switch random.below(hasMembers ? 8 : 5) {
        case 0, 1:
            let person = random.pick(Self.people) ?? "ann"
            return
                "INSERT OR IGNORE INTO \(SimulatedScopes.holdings) VALUES ('\(person)', '\(area)')"
        case 2, 3:
            let person = random.pick(Self.people) ?? "ann"
            return
                "DELETE FROM \(SimulatedScopes.holdings) WHERE person = '\(person)' AND area = '\(area)'"
        case 4:
            guard hasColumn else { return insertMember(area, place) }
            let left = root.keys.count == 1 ? root.keyList : "(\(root.keyList))"
            return """
                UPDATE \(root.name.sqlName) SET \(SimulatedScopes.column) = '\(area)' WHERE \(left) = \
                (SELECT \(root.keyList) FROM \(root.name.sqlName) ORDER BY \(root.keyList) \
                LIMIT 1 OFFSET \(place))
                """
        case 5: return insertMember(area, place)
        case 6: return "DELETE FROM \(SimulatedScopes.members) WHERE id % 3 = \(third)"
        default:
            return
                "UPDATE \(SimulatedScopes.members) SET area = '\(area)' WHERE id % 3 = \(third)"
        }
    }

    private func insertMember(_ area: String, _ place: Int) -> String {
        let names = root.keys.indices.map { "k\($0)" }.joined(separator: ", ")
        return """
            INSERT INTO \(SimulatedScopes.members) (\(names), area) SELECT \(root.keyList), '\(area)' \
            FROM \(root.name.sqlName) ORDER BY \(root.keyList) LIMIT 1 OFFSET \(place)
            """
    }
}

extension WorldPlan {
    /// Divides one table, and the tables below it, among people. It uses its own stream of random
    /// numbers, so what users do in other worlds does not change.
    mutating func chooseScopes(seed: UInt64) {
        var random = SeededGenerator(seed: seed ^ 0x53_434F_5045)
        guard random.chance(25) else { return }
        let roots = tables.indices.compactMap { root in links(below: root).map { (root, $0) } }
        guard let (index, links) = random.pick(roots) else { return }
        let model = ScopeModel.random(root: tables[index], &random)
        if model.hasColumn {
            tables[index].columns.append(
                TableModel.Column(name: SimulatedScopes.column, kind: .text, isArea: true))
        }
        scopes = model
        world.scopes[tables[index].name] = model.rules
        for (child, foreign) in links {
            world.scopes[tables[child].name] = [
                ScopeRule(.through(tables[child].foreignKeys[foreign].columns))
            ]
        }
        for index in world.devices.indices {
            world.devices[index].user = random.pick(ScopeModel.people)
        }
    }

    /// The tables below a table, each with the one foreign key that leads there. It is `nil` when a
    /// row could reach a device without a row that it refers to.
    private func links(below root: Int) -> [Int: Int]? {
        var links: [Int: Int] = [:]
        var isNew = true
        while isNew {
            isNew = false
            for (index, table) in tables.enumerated() {
                let leading = table.foreignKeys.indices.filter { foreign in
                    let parent = table.foreignKeys[foreign].parent
                    return parent == root || links[parent] != nil
                }
                guard let first = leading.first else { continue }
                if leading.count > 1 || index == root { return nil }
                isNew = isNew || links[index] == nil
                links[index] = first
            }
        }
        let scoped = [root] + links.keys
        return scoped.contains { world.directions[tables[$0].name] == .up } ? nil : links
    }
}
