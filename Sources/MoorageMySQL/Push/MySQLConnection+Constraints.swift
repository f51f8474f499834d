import MoorageCore
import MoorageHub

/// Foreign keys of a cycle. This server would check them at once, but a push needs the check at its
/// end.
extension MySQLConnection {
    /// Runs a write without the server's checks of foreign keys, which come at once and not at the
    /// end. ``checkConstraints(_:)`` makes these checks later. Only for writes that no foreign-key
    /// action can follow.
    func checkingLater(_ isNeeded: Bool, _ write: () throws -> Void) throws {
        guard isDeferring || isLeavingReferences, isNeeded else { return try write() }
        isLax = true
        try link.simple("SET SESSION foreign_key_checks = 0")
        defer { if !link.isOpen { isDeferring = false } }
        do {
            try write()
        } catch {
            if link.isOpen { try restoreChecks() }
            throw error
        }
        try restoreChecks()
    }

    /// Restores the session's checks, whatever was set for one statement.
    func restoreChecks() throws {
        try link.simple(
            """
            \(Self.modeSetting); SET SESSION foreign_key_checks = 1\
            \(link.kind.isMariaDB ? ", check_constraint_checks = 1" : "")
            """)
        isLax = false
    }

    func deferConstraints() throws { isDeferring = true }

    func checkConstraints(_ written: [WrittenRows]) throws {
        guard isDeferring else { return }
        let cyclic = try written.filter { try shape(of: $0.table).facts.isInCycle }
        if cyclic.isEmpty { return }
        let edges = try readForeignEdges()
        for rows in cyclic {
            let shape = try shape(of: rows.table)
            for edge in edges where edge.child.hasSameBytes(as: rows.table.name) {
                try checkParents(of: rows.written, shape, edge)
            }
            for edge in edges where edge.parent.hasSameBytes(as: rows.table.name) {
                try checkChildren(of: rows.deleted, shape, edge)
            }
        }
    }

    /// Takes the locks that a foreign key would take.
    private func checkParents(of keys: [RowKey], _ shape: TableShape, _ edge: ForeignEdge) throws {
        let match = zip(edge.referenced, edge.columns).map {
            "p.\(SQLText.name($0)) = l.\(SQLText.name($1))"
        }.joined(separator: " AND ")
        let isSet = edge.columns.map { "l.\(SQLText.name($0)) IS NOT NULL" }
            .joined(separator: " AND ")
        for part in chunks(keys.filter { shape.canBe($0) }, { shape.elements(of: $0) }) {
            var list = Parameters()
            list.add(shape.list(part))
            let orphans = try link.query(
                """
                SELECT x.i FROM \(shape.keyRows()) STRAIGHT_JOIN \(shape.name) AS l ON \(shape.match("l", "x"))
                LEFT JOIN \(SQLText.name(edge.parent)) AS p ON \(match)
                WHERE \(isSet) AND p.\(SQLText.name(edge.referenced[0])) IS NULL LIMIT 1 LOCK IN SHARE MODE
                """, list, decides: true)
            if orphans.rowCount > 0 { throw CentralError.parentMissing(of: [edge.child]) }
        }
    }

    private func checkChildren(of rows: [[Value]], _ shape: TableShape, _ edge: ForeignEdge) throws
    {
        let natives = try edge.referenced.map { name -> (Int, NativeColumn) in
            guard let place = shape.columns.firstIndex(where: { $0.name.hasSameBytes(as: name) })
            else { throw CentralError.referencedColumnUnknown(name, of: shape.table.name) }
            return (place, shape.columns[place])
        }
        let lists = try rows.map { row in
            try natives.enumerated().map { ("c\($0)", try $1.1.text(row[$1.0])) }
        }
        let columns = natives.indices.map {
            "c\($0) LONGTEXT CHARACTER SET utf8mb4 PATH '$.c\($0)'"
        }
        let match = zip(natives, edge.columns).enumerated().map { place, pair in
            let native = pair.0.1
            let value =
                native.isText ? native.native("x.c\(place)") : native.input(text: "x.c\(place)")
            return "l.\(SQLText.name(pair.1)) = \(value)"
        }.joined(separator: " AND ")
        for part in chunks(lists, { $0 }) {
            var list = Parameters()
            list.add(RowList.text(part))
            let left = try link.query(
                """
                SELECT 1 FROM (SELECT j.* FROM JSON_TABLE(?, '$[*]' COLUMNS (
                  \(columns.joined(separator: ", ")))) AS j) AS x
                STRAIGHT_JOIN \(SQLText.name(edge.child)) AS l ON \(match) LIMIT 1 LOCK IN SHARE MODE
                """, list, decides: true)
            if left.rowCount > 0 { throw CentralError.childrenLeft(of: [shape.table.name]) }
        }
    }
}

extension TableShape {
    /// Whether no foreign key refers to these columns, so that writing them changes no other row.
    func onlyRefers(_ columns: [Int]) -> Bool {
        columns.allSatisfy { !facts.referenced.contains(self.columns[$0].name) }
    }
}
