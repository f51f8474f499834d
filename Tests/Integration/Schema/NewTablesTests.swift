import MoorageCore
import MoorageGenerator
import MoorageHub
import MoorageWire
import TestSupport
import Testing

extension CentreKind {
    var tableDialect: TableDialect {
        switch self {
        case .sqlite: .sqlite
        case .postgres: .postgres
        case .mariadb: .mysql
        }
    }

    /// A file's column as the hub reads it of a table that was made from the file: what a database
    /// cannot declare, or nobody knows, is missing.
    fileprivate func asRead(_ column: ColumnDescription) -> ColumnDescription {
        let isNullable = column.isNullable || column.isGenerated
        let isUnknown = column.isGenerated || column.defaultValue == .central
        var value = isUnknown ? ColumnDefault.none : column.defaultValue
        // An older MariaDB adds a default to such a column by itself, so the statement does.
        if self == .mariadb, !isNullable, value == ColumnDefault.none, case .instant = column.type {
            value = .central
        }
        return ColumnDescription(
            name: column.name, type: asRead(column.type), isNullable: isNullable,
            defaultValue: value)
    }

    /// SQLite has no digits of seconds.
    private func asRead(_ type: ColumnType) -> ColumnType {
        switch (self, type) {
        case (.sqlite, .time): .time(fractionDigits: 6)
        case (.sqlite, .timestamp): .timestamp(fractionDigits: 6)
        case (.sqlite, .instant): .instant(fractionDigits: 6)
        default: type
        }
    }

    /// SQLite does not report whether a foreign key is deferrable, and MariaDB's never is.
    fileprivate func asRead(_ foreign: ForeignKey) -> ForeignKey {
        ForeignKey(
            columns: foreign.columns, referencedTable: foreign.referencedTable,
            referencedColumns: foreign.referencedColumns, onDelete: foreign.onDelete,
            onUpdate: foreign.onUpdate, isDeferrable: foreign.isDeferrable && self == .postgres)
    }
}

/// Central tables that exist because a schema file says so.
@Suite(.ownThreads) struct `Tables made from a schema file` {
    private static func names(_ file: SchemaFile) -> [String] { file.schema.tables.map(\.name) }

    private static func statements(_ file: SchemaFile, in kind: CentreKind) -> [String] {
        file.createStatements(forTables: names(file), in: kind.tableDialect)
    }

    /// The tables as the hub reads them. Options of theirs are not part of the file.
    private static func check(_ world: World, _ file: SchemaFile) async throws {
        let found = SchemaFile(try await world.hub.schema())
        #expect(names(found) == names(file))
        for table in file.schema.tables {
            try check(found, file, table, in: world.centre.kind)
        }
    }

    private static func check(
        _ found: SchemaFile, _ file: SchemaFile, _ table: TableDescription, in kind: CentreKind
    ) throws {
        let read = try #require(found.schema.table(named: table.name))
        #expect(read.columns == table.columns.map { kind.asRead($0) })
        #expect(read.primaryKey == table.primaryKey)
        #expect(Set(read.uniqueKeys) == Set(table.uniqueKeys))
        #expect(Set(read.foreignKeys) == Set(table.foreignKeys.map { kind.asRead($0) }))

        let name = Identifier(table.name)
        let (mine, theirs) = (
            file.details[name] ?? TableDetails(), found.details[name] ?? TableDetails()
        )
        let hasComments = kind != .sqlite
        #expect(theirs.comment == (hasComments ? mine.comment : nil))
        for (position, column) in table.columns.enumerated() {
            let mine = mine.columns[position] ?? ColumnDetails()
            let theirs = theirs.columns[position] ?? ColumnDetails()
            #expect(theirs.labels == mine.labels, "\(table.name).\(column.name)")
            #expect(theirs.comment == (hasComments ? mine.comment : nil))
            // Lengths and digits.
            if let original = mine.original, let start = original.firstIndex(of: "(") {
                #expect(theirs.original?.hasSuffix(original[start...]) == true)
            }
        }
        for index in mine.indexes { #expect(theirs.indexes.contains(index), "\(table.name)") }
        for foreign in read.foreignKeys {
            let isServed = ([read.primaryKey] + read.uniqueKeys + theirs.indexes).contains {
                Set($0.prefix(foreign.columns.count)) == Set(foreign.columns)
            }
            #expect(isServed, "\(table.name) \(foreign.columns)")
        }
    }

    @Test(arguments: CentreKind.available)
    func `are those of the file, with integers as keys`(kind: CentreKind) async throws {
        let file = SampleSchemas.music
        try await World.run(kind, schema: Self.statements(file, in: kind)) { world in
            try await Self.check(world, file)
        }
    }

    @Test(arguments: CentreKind.available)
    func `are those of the file, with a cycle and most types`(kind: CentreKind) async throws {
        let file = SampleSchemas.rental
        try await World.run(kind, schema: Self.statements(file, in: kind)) { world in
            try await Self.check(world, file)
        }
    }

    @Test(arguments: CentreKind.available)
    func `join tables that exist`(kind: CentreKind) async throws {
        let file = SampleSchemas.music
        let (old, new) = (["artist", "employee"], ["album", "customer", "genre", "playlist"])
        let rest = Self.names(file).filter { !(old + new).contains($0) }
        let steps = [old, new, rest].map {
            file.createStatements(forTables: $0, in: kind.tableDialect)
        }
        try await World.run(kind, schema: steps.flatMap { $0 }) { world in
            try await Self.check(world, file)
        }
    }

    @Test(arguments: CentreKind.available)
    func `sync both ways`(kind: CentreKind) async throws {
        let file = SampleSchemas.music
        try await World.run(kind, schema: Self.statements(file, in: kind)) { world in
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            try a.execute(
                """
                INSERT INTO artist (artist_id, name) VALUES (1, 'Ada');
                INSERT INTO album (album_id, title, artist_id) VALUES (1, 'First', 1);
                INSERT INTO track (track_id, name, album_id) VALUES (1, 'One', 1), (2, 'Two', 1);
                INSERT INTO playlist (playlist_id, name) VALUES (1, 'Mine');
                INSERT INTO playlist_track (playlist_id, track_id) VALUES (1, 1), (1, 2);
                INSERT INTO employee (employee_id, last_name, first_name) VALUES (1, 'L', 'F');
                INSERT INTO employee (employee_id, last_name, first_name, reports_to, hired)
                VALUES (2, 'L', 'G', 1, '2026-11-29')
                """)
            try world.centre.execute("INSERT INTO genre (genre_id, name) VALUES (1, 'Jazz')")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            try b.execute(
                "UPDATE track SET genre_id = 1, unit_price = '1.29' WHERE track_id = 1")
            try b.execute("DELETE FROM playlist WHERE playlist_id = 1")
            try await world.converge(b, a)
            #expect(try await world.differences(a, b) == [])
            #expect(try world.centre.count("SELECT count(*) FROM playlist_track") == 0)
            #expect(try world.centre.count("SELECT count(*) FROM track WHERE genre_id = 1") == 1)
        }
    }
}
