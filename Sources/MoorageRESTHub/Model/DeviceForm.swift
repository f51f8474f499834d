import MoorageCore

/// Ids in the form that the device gave them. Many servers keep UUIDs as numbers and answer them in
/// lower case, and Swift writes them in upper case. A row would get another key, and a reference to
/// it would name none.
struct DeviceForm {
    /// Rows that the device has, whatever the server has told so far.
    var known: Set<RowName> = []
    let schema: RESTSchema
    let records: RESTRecords

    /// Whether it can make a difference, so that the file is read for nothing else.
    static func concerns(_ row: ServerRow) -> Bool {
        func isUUID(_ value: Value?) -> Bool {
            if case .text(let text)? = value { UUIDText.bytes(text) != nil } else { false }
        }
        return row.values.contains(where: isUUID)
            || row.children.contains { $0?.contains { $0.values.contains(where: isUUID) } ?? false }
    }

    /// - Returns: The same key where the device knows no other form of it.
    func key(_ key: RowKey, in table: String) throws -> RowKey {
        guard key.values.count == 1, case .text(let text)? = key.values.first,
            UUIDText.bytes(text) != nil
        else { return key }
        let names = [text, text.uppercased(), text.lowercased()].map {
            RowName(table: table, key: RowKey([.text($0)]))
        }
        if let name = names.first(where: known.contains) { return name.key }
        for name in names where try records.row(name) != nil { return name.key }
        return key
    }

    func row(_ row: ServerRow, of model: RESTModel) throws -> ServerRow {
        guard Self.concerns(row) else { return row }
        let key = try key(row.key, in: model.table.name)
        let children = try zip(model.children, row.children).map { group, elements in
            try elements?.map { element in
                let table = group.table.description
                let own = try self.key(element.key, in: table.name)
                var values = try values(element.values, own, table)
                for (column, value) in zip(group.parentColumns, key.values) {
                    values[column] = value
                }
                return ServerRow.Child(key: own, json: element.json, values: values)
            }
        }
        return ServerRow(
            key: key, json: row.json,
            values: try values(row.values, key, model.table.description),
            children: children, etag: row.etag)
    }

    /// Values with the row's key, and with references as the device has them.
    private func values(
        _ values: RowValues, _ key: RowKey, _ table: TableDescription
    ) throws -> RowValues {
        var values = values
        for foreign in table.foreignKeys where foreign.columns.count == 1 {
            guard let parent = schema.description.table(named: foreign.referencedTable),
                foreign.positions(in: parent) == parent.primaryKey,
                let value = values[foreign.columns[0]], !value.isNull
            else { continue }
            values[foreign.columns[0]] =
                try self.key(parent.key([value]), in: parent.name).values.first
        }
        for (column, value) in zip(table.primaryKey, key.values) { values[column] = value }
        return values
    }
}

extension RESTStore {
    /// Rows of the server with ids in the device's form.
    ///
    /// - Parameter known: Rows that the device has, whatever the server has told so far.
    func inDeviceForm(
        _ rows: [ServerRow], of model: RESTModel, _ schema: RESTSchema,
        known: Set<RowName> = []
    ) async throws -> [ServerRow] {
        guard rows.contains(where: DeviceForm.concerns) else { return rows }
        return try await write { records in
            let form = DeviceForm(known: known, schema: schema, records: records)
            return try rows.map { try form.row($0, of: model) }
        }
    }
}

extension PushUnit {
    /// The rows that the changes name, and those that they refer to: the device has all of them.
    func knownNames(in schema: RESTSchema) -> Set<RowName> {
        var names: Set = [RowName(table: schema.models[model].table.name, key: key)]
        for change in changes {
            let table = schema.table(at: change.place).description
            names.insert(RowName(table: table.name, key: change.key))
            for values in [change.values, change.valuesBefore].compactMap({ $0 }) {
                names.formUnion(table.referredKeys(of: values, in: schema))
            }
        }
        return names
    }
}

extension UnitWork {
    /// Rows that the device has, as far as this unit says.
    var names: Set<RowName> {
        original.knownNames(in: context.schema).union(unit.knownNames(in: context.schema))
    }

    /// A row of JSON that the server sent, or that was sent to it.
    func serverRow(_ json: JSON, etag: String? = nil) async throws -> ServerRow {
        let row = try model.row(json, etag: etag)
        let own = RowName(table: model.table.name, key: key)
        return try await context.store.inDeviceForm(
            [row], of: model, context.schema, known: names.union([own]))[0]
    }
}
