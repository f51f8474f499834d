import GRDB
import Moorage
import MoorageCore
import MoorageWire

/// A model as the app declared it, without its type.
struct DeclaredModel: Sendable {
    let coder: RecordCoder
    let path: String
    let id: String
    let settings: RESTSettings

    init<Model: Uploadable>(_ model: Model.Type) {
        coder = RecordCoder(model)
        path = Model.path
        id = Model.id
        settings = Model.rest
    }

    /// Its table and those of its children.
    var tables: [String] { [coder.table] + settings.children.map(\.coder.table) }
}

/// A model with its tables as the file has them now.
struct RESTModel: Sendable {
    let path: String
    let settings: RESTSettings
    let table: RESTTable
    let children: [BoundChildren]

    /// Whether the server says of a row that it was deleted.
    func isDeleted(_ json: JSON) -> Bool {
        settings.fetching.deleted.flatMap { json.member(at: $0) }?.marksDeletion == true
    }

    /// Whether a change can be sent without reading the row before.
    var writesBlindly: Bool {
        children.isEmpty && (settings.detection == .byServer || !settings.fetching.isReceived)
    }
}

/// Children with their table as the file has it now.
struct BoundChildren: Sendable {
    let table: RESTTable
    /// The member of the parent with the array.
    let member: String
    /// The member of an element with the parent's id.
    let parentID: String
    /// The columns that refer to the parent's key, in the key's order.
    let parentColumns: [Int]

    /// The key of a row's parent; `nil` where a part of it is missing or NULL.
    func parent(of values: RowValues, in table: RESTTable) -> RowKey? {
        let key = parentColumns.compactMap { values[$0] }
        guard key.count == parentColumns.count, !key.contains(where: \.isNull) else { return nil }
        return table.description.key(key)
    }
}

/// All models with their tables as the file has them now.
struct RESTSchema: Sendable {
    let models: [RESTModel]
    let description: SchemaDescription

    /// Where a table belongs.
    struct Place: Hashable {
        let model: Int
        /// `nil` for the model's own table.
        let child: Int?
    }

    /// - Throws: ``HubError`` `configuration` for a model that cannot work, and what reading the
    ///   file throws. A table that the file lacks leaves its model out.
    init(_ declared: [DeclaredModel], in db: Database) throws {
        let names = declared.flatMap(\.tables)
        let models = try declared.compactMap { try Self.bound($0, names, db) }
        let description = SchemaDescription(
            tables: models.flatMap { model in
                [model.table.description] + model.children.map(\.table.description)
            })
        func order(_ model: RESTModel) -> Int {
            description.position(of: model.table.name) ?? .max
        }
        // Rows come after those that they refer to.
        self.models = models.sorted { order($0) < order($1) }
        self.description = description
    }

    private static func bound(
        _ model: DeclaredModel, _ names: [String], _ db: Database
    ) throws -> RESTModel? {
        let settings = model.settings
        let direction: TableDirection = settings.fetching.isReceived ? .both : .up
        func described(_ name: String) throws -> DescribedTable? {
            try DescribedTable(named: name, of: names, direction: direction, in: db)
        }
        guard let own = try described(model.coder.table) else { return nil }
        let table = RESTTable(
            described: own, coder: model.coder, encoder: settings.encoder,
            decoder: settings.decoder, id: model.id, ids: settings.ids,
            conflicts: settings.conflicts)
        guard table.description.primaryKey.count == 1 else {
            throw HubError.keyOfSeveralColumns(table.name)
        }
        let children = try settings.children.compactMap { child -> BoundChildren? in
            guard let described = try described(child.coder.table) else { return nil }
            let description = described.description
            let key = table.description.primaryKey
            guard
                let foreign = description.foreignKeys.first(where: {
                    $0.referencedTable == table.name && $0.positions(in: table.description) == key
                }), let column = foreign.columns.first
            else { throw HubError.childWithoutParent(description.name, of: table.name) }
            return BoundChildren(
                table: RESTTable(
                    described: described, coder: child.coder, encoder: settings.encoder,
                    decoder: settings.decoder, id: child.id, ids: child.ids,
                    conflicts: child.conflicts),
                member: child.member,
                parentID: child.parentID ?? description.columns[column].name,
                parentColumns: foreign.columns)
        }
        return RESTModel(
            path: model.path, settings: settings, table: table, children: children)
    }

    func place(of table: String) -> Place? {
        for (number, model) in models.enumerated() {
            if model.table.name.hasSameBytes(as: table) { return Place(model: number, child: nil) }
            let child = model.children.firstIndex { $0.table.name.hasSameBytes(as: table) }
            if let child { return Place(model: number, child: child) }
        }
        return nil
    }

    func table(at place: Place) -> RESTTable {
        let model = models[place.model]
        return place.child.map { model.children[$0].table } ?? model.table
    }

    func table(named name: String) -> RESTTable? { place(of: name).map(table(at:)) }

    /// The position of a table in foreign-key order.
    func order(of table: String) -> Int { description.position(of: table) ?? .max }
}
