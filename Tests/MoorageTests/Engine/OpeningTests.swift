import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

/// `Replica.open` on a file in each of its states.
@Suite(.ownThreads) struct `Opening a file` {
    private static let listed: [ReplicaTable] = [.table("customers"), .table("orders")]
    private static let customers = "CREATE TABLE customers(id TEXT PRIMARY KEY NOT NULL, city TEXT)"
    private static let orders = """
        CREATE TABLE orders(id INTEGER PRIMARY KEY, customer TEXT REFERENCES customers(id))
        """
    /// The names of all that a file has.
    private static let names = "SELECT name FROM sqlite_schema"
    private static let synced = "SELECT name FROM _moorage_table ORDER BY name"

    private let central: SQLiteDatabase
    private let hub: Hub
    private let file: DatabaseQueue

    init() async throws {
        central = try SQLiteDatabase()
        try central.execute(
            """
            \(Self.customers);
            \(Self.orders);
            INSERT INTO customers VALUES ('A', 'Århus'), ('B', NULL);
            INSERT INTO orders VALUES (1, 'A'), (2, 'B');
            """)
        hub = Hub(database: central)
        _ = try await hub.attach()
        file = try DatabaseQueue()
    }

    private func open(
        _ hub: any HubConnection, _ tables: [ReplicaTable]? = Self.listed,
        _ migrator: DatabaseMigrator? = nil
    ) async throws -> Replica {
        try await Replica.open(
            database: file, hub: .direct(hub), tables: tables, migrator: migrator)
    }

    private var offline: BrokenWay { BrokenWay(hub: hub, answersSchema: false) }

    private func count(_ table: String) async throws -> [String] {
        try await file.texts("SELECT count(*) FROM \(table)")
    }

    private func hasTable(_ name: String) async throws -> Bool {
        try await file.read { try $0.tableExists(name) }
    }

    // MARK: A new file

    @Test(arguments: [true, false])
    func `makes its tables, and hands the replica out before any row is here`(
        isListed: Bool
    ) async throws {
        let replica = try await open(BrokenWay(hub: hub), isListed ? Self.listed : nil)
        #expect(!replica.status.hasEverCaughtUp)
        #expect(try await count("orders") == ["0"])
        #expect(
            try await file.texts("SELECT \"table\" FROM pragma_foreign_key_list('orders')")
                == ["customers"])
        #expect(
            try await file.texts("SELECT name FROM pragma_index_list('orders')")
                == ["orders_refers_1"])
        await #expect(throws: ReplicaError.self) { try await replica.sync() }
        try await file.run("INSERT INTO customers VALUES ('C', 'Lindvik')")
        let next = try await open(hub, isListed ? Self.listed : nil)
        #expect(next.status.pendingCount == 1)
        let summary = try await next.sync()
        #expect(summary.isCaughtUp)
        #expect(summary.changesPushed == 1)
        #expect(try await count("orders") == ["2"])
        #expect(try await next.verify() == [])
    }

    @Test(arguments: [true, false])
    func `stays as it is without the hub`(isListed: Bool) async throws {
        let tables = isListed ? Self.listed : nil
        let error = await #expect(throws: ReplicaError.self) {
            _ = try await open(offline, tables)
        }
        #expect(error?.code == .hub(.unreachable))
        #expect(try await file.texts(Self.names) == [])
        #expect(try await open(hub, tables).sync().isCaughtUp)
    }

    @Test func `stays as it is for a table that the hub does not have`() async throws {
        let error = await #expect(throws: ReplicaError.self) {
            _ = try await open(hub, Self.listed + [.table("parcels")])
        }
        #expect(error?.code.rawValue == "unknownTable")
        #expect(try await file.texts(Self.names) == [])
    }

    @Test func `shows what is here of a first copy that broke off, and goes on with it`()
        async throws
    {
        let shop = Shop.hub()
        var options = ReplicaOptions()
        options.maximumRowsPerPage = 1
        let first = try await Replica.open(
            database: file, hub: .direct(BrokenWay(hub: shop, pages: 1)), options: options)
        await #expect(throws: ReplicaError.self) { try await first.sync() }
        #expect(first.status.rowsDone == 1)
        #expect(try await file.texts("SELECT name FROM customer") == ["Anna"])
        try await file.run("UPDATE customer SET name = 'Ann'")

        let second = try await Replica.open(
            database: file, hub: .direct(BrokenWay(hub: shop, answersSchema: false)),
            options: options)
        #expect(second.status.rowsDone == 1)
        #expect(second.status.rowsExpected == 4)
        let tables = second.status.tables
        #expect(tables.map(\.rowsDone) == [1, 0, 0])
        #expect(tables == first.status.tables)
        #expect(second.status.pendingCount == 1)

        let third = try await Replica.open(
            database: file, hub: .direct(shop), options: options)
        #expect(try await third.sync().isCaughtUp)
        #expect(third.status.tables == [])
        #expect(try await file.texts("SELECT name FROM customer ORDER BY id") == ["Ann", "Bert"])
        #expect(shop.row("customer", .text("a"))?[2] == .text("Ann"))
        #expect(try await third.verify() == [])
    }

    // MARK: A file with the tables

    @Test func `opens without the hub, with its changes`() async throws {
        try await open(hub).sync()
        try await file.run("UPDATE customers SET city = 'Lindvik'")
        for tables in [Self.listed, nil] {
            let replica = try await open(offline, tables)
            #expect(replica.status.pendingCount == 2)
            #expect(replica.status.hasEverCaughtUp)
        }
        #expect(try await open(hub).sync().changesPushed == 2)
    }

    @Test func `gets a table that a later version lists, also offline if it knows it`()
        async throws
    {
        try await open(hub, [.table("customers")]).sync()
        #expect(try await !hasTable("orders"))
        let next = try await open(offline)
        #expect(try await count("orders") == ["0"])
        #expect(next.status.suspendedTables.isEmpty)
        #expect(try await open(hub).sync().isCaughtUp)
        #expect(try await count("orders") == ["2"])
        #expect(try await open(hub).verify() == [])
    }

    @Test func `waits for the hub for a table that is new there`() async throws {
        try await open(hub).sync()
        try central.execute("CREATE TABLE notes(id TEXT PRIMARY KEY NOT NULL)")
        try central.execute("INSERT INTO notes VALUES ('n1')")
        _ = try await hub.attach()
        let tables = Self.listed + [.table("notes")]
        let error = await #expect(throws: ReplicaError.self) {
            _ = try await open(offline, tables)
        }
        #expect(error?.code == .hub(.unreachable))
        #expect(try await open(offline).status.hasEverCaughtUp)
        let replica = try await open(hub, tables)
        #expect(replica.status.suspendedTables.isEmpty)
        #expect(try await replica.sync().isCaughtUp)
        #expect(try await count("notes") == ["1"])
    }

    @Test func `of all tables gets a later one after the next sync`() async throws {
        try await open(hub, nil).sync()
        try central.execute("CREATE TABLE notes(id TEXT PRIMARY KEY NOT NULL)")
        try central.execute("INSERT INTO notes VALUES ('n1')")
        _ = try await hub.attach()
        _ = try await open(offline, nil)
        #expect(try await file.texts(Self.synced) == ["customers", "orders"])
        try await open(hub, nil).sync()
        _ = try await open(offline, nil)
        #expect(try await file.texts(Self.synced) == ["customers", "notes", "orders"])
        #expect(try await open(hub, nil).sync().isCaughtUp)
        #expect(try await count("notes") == ["1"])
    }

    /// Nobody listed the table, so the others go on.
    @Test func `of all tables leaves out a later one that does not fit`() async throws {
        try await open(hub, nil).sync()
        try await file.run("CREATE TABLE notes(id TEXT PRIMARY KEY); INSERT INTO notes VALUES('x')")
        try central.execute("CREATE TABLE notes(id TEXT PRIMARY KEY NOT NULL)")
        _ = try await hub.attach()
        try await open(hub, nil).sync()
        #expect(try await open(hub, nil).sync().isCaughtUp)
        #expect(try await file.texts(Self.synced) == ["customers", "orders"])
        let error = await #expect(throws: ReplicaError.self) {
            _ = try await open(hub, Self.listed + [.table("notes")])
        }
        #expect(error?.code == .tableNotEmpty)
    }

    @Test func `makes a table once that is listed twice`() async throws {
        #expect(try await open(hub, Self.listed + [.table("customers")]).sync().isCaughtUp)
        #expect(try await count("customers") == ["2"])
    }

    @Test func `does not get a table again that the app dropped`() async throws {
        try await open(hub).sync()
        try await file.run("DROP TABLE orders")
        for tables in [Self.listed, nil] {
            let replica = try await open(hub, tables)
            #expect(replica.status.suspendedTables.map(\.name) == ["orders"])
            #expect(try await !hasTable("orders"))
        }
    }

    @Test func `gets no table from another hub than its own`() async throws {
        try await open(hub).sync()
        let others = try SQLiteDatabase()
        try others.execute("CREATE TABLE parcels(id TEXT PRIMARY KEY NOT NULL)")
        let other = Hub(database: others)
        _ = try await other.attach()
        let error = await #expect(throws: ReplicaError.self) {
            _ = try await open(other, Self.listed + [.table("parcels")])
        }
        #expect(error?.code.rawValue == "differentHub")
        #expect(try await !hasTable("parcels"))
    }

    // MARK: An unfinished clone

    /// The tables are there, and no row is, or all rows are.
    @Test(arguments: [0, Int.max], [true, false])
    func `finishes a clone that broke off`(pages: Int, isListed: Bool) async throws {
        for _ in 1...2 {
            await #expect(throws: ReplicaError.self) {
                _ = try await Replica.clone(
                    into: file, from: .direct(BrokenWay(hub: hub, pages: pages)),
                    tables: ["customers", "orders"])
            }
        }
        let tables = isListed ? Self.listed : nil
        await #expect(throws: ReplicaError.self) { _ = try await open(offline, tables) }
        #expect(try await count("orders") == [pages == 0 ? "0" : "2"])
        let replica = try await open(hub, tables)
        #expect(replica.status.isCaughtUp)
        #expect(try await replica.verify() == [])
        #expect(try await count("orders") == ["2"])
        try await file.run("DELETE FROM orders WHERE id = 1")
        #expect(try await replica.sync().changesPushed == 1)
    }

    @Test func `finishes a clone of some tables with these alone`() async throws {
        await #expect(throws: ReplicaError.self) {
            _ = try await Replica.clone(
                into: file, from: .direct(BrokenWay(hub: hub)), tables: ["customers"])
        }
        #expect(try await open(hub, nil).status.isCaughtUp)
        #expect(try await file.texts(Self.synced) == ["customers"])
    }

    @Test func `finishes a clone that a later version lists more for`() async throws {
        await #expect(throws: ReplicaError.self) {
            _ = try await Replica.clone(
                into: file, from: .direct(BrokenWay(hub: hub)), tables: ["customers"])
        }
        let replica = try await open(hub)
        #expect(try await count("customers") == ["2"])
        #expect(try await replica.sync().isCaughtUp)
        #expect(try await count("orders") == ["2"])
        #expect(try await replica.verify() == [])
    }

    // MARK: With migrations

    private static func migrator(_ migrations: String...) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (number, sql) in migrations.enumerated() {
            migrator.registerMigration("\(number)") { try $0.execute(sql: sql) }
        }
        return migrator
    }

    @Test func `migrates, and needs no hub`() async throws {
        let migrator = Self.migrator(Self.customers, Self.orders)
        let replica = try await open(offline, Self.listed, migrator)
        #expect(!replica.status.hasEverCaughtUp)
        try await file.run("INSERT INTO customers VALUES ('C', 'Lindvik')")
        let next = try await open(hub, Self.listed, migrator)
        #expect(next.status.pendingCount == 1)
        let summary = try await next.sync()
        #expect(summary.isCaughtUp)
        #expect(summary.changesPushed == 1)
        #expect(try await count("customers") == ["3"])
    }

    @Test func `migrates before it opens, at each launch`() async throws {
        try await open(hub, [.table("customers")], Self.migrator(Self.customers)).sync()
        let later = Self.migrator(Self.customers, Self.orders)
        try await open(hub, Self.listed, later).sync()
        #expect(try await count("orders") == ["2"])
    }

    @Test func `gets no table from the hub that its migrations do not make`() async throws {
        let error = await #expect(throws: ReplicaError.self) {
            _ = try await open(hub, Self.listed, Self.migrator(Self.customers))
        }
        #expect(error?.code == .noSuchTable)
        #expect(try await !hasTable("orders"))
    }

    @Test func `of all tables takes those that both sides have`() async throws {
        let migrator = Self.migrator(
            Self.customers + "; CREATE TABLE drafts(id TEXT PRIMARY KEY NOT NULL)")
        try await open(hub, nil, migrator).sync()
        #expect(try await file.texts(Self.synced) == ["customers"])
        #expect(try await count("customers") == ["2"])
        #expect(try await !hasTable("orders"))
        let later = try await open(offline, nil, migrator)
        #expect(later.status.hasEverCaughtUp)
        #expect(try await file.texts(Self.synced) == ["customers"])
    }

    @Test func `treats rows that are there already as the table says`() async throws {
        let migrator = Self.migrator(
            Self.customers + "; INSERT INTO customers VALUES ('C', 'Oslo')")
        let error = await #expect(throws: ReplicaError.self) {
            _ = try await open(hub, [.table("customers")], migrator)
        }
        #expect(error?.code == .tableNotEmpty)
        let replica = try await open(
            hub, [.table(Customer.self, firstContact: .upload)], migrator)
        #expect(replica.status.pendingCount == 1)
        #expect(try await replica.sync().changesPushed == 1)
        #expect(try await count("customers") == ["3"])
    }

    @Test func `throws what a migration throws, and opens nothing`() async throws {
        await #expect(throws: DatabaseError.self) {
            _ = try await open(hub, Self.listed, Self.migrator("CREATE nonsense"))
        }
        #expect(try await !hasTable("_moorage_meta"))
    }

    // MARK: Tables by type

    @Test func `names a table by its record, like by its name`() {
        #expect(
            ReplicaTable.table(
                Customer.self, firstContact: .replace, createdAt: "made", updatedAt: "changed")
                == .table(
                    "customers", firstContact: .replace, createdAt: "made", updatedAt: "changed"))
    }
}

private struct Customer: TableRecord { static let databaseTableName = "customers" }

/// A way to the hub that breaks within each exchange.
private struct BrokenWay: HubConnection {
    let hub: any HubConnection
    var answersSchema = true
    /// How many pages of an answer pass. The end of an answer never does.
    var pages = 0

    private static let failure = HubError(.unreachable, "The connection broke.")

    func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        let passed = Locked(0)
        try await hub.exchange(request) { frame in
            switch frame {
            case .page:
                let count = passed.withLock {
                    $0 += 1
                    return $0
                }
                if count > pages { throw Self.failure }
            case .end: throw Self.failure
            default: break
            }
            try await receive(frame)
        }
    }

    func schema() async throws -> SchemaAnswer {
        guard answersSchema else { throw Self.failure }
        return try await hub.schema()
    }

    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await hub.compare(request)
    }
}
