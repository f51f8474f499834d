import GRDB
import Moorage
import MoorageCore
import MoorageWire

/// Answers the comparison of a table, after its triggers were lost: the rows of the server, all at
/// once.
struct TableReading {
    let schema: RESTSchema
    let client: RESTClient
    let store: RESTStore
    let limits: RESTLimits

    func answer(_ request: CompareRequest) async throws -> CompareAnswer {
        guard let place = schema.place(of: request.table.name) else {
            throw HubError.restNoTable(request.table.name)
        }
        let table = schema.table(at: place)
        let model = schema.models[place.model]
        guard model.settings.fetching.isReceived else {
            return CompareAnswer(rows: try await sentRows(of: table), next: nil)
        }
        guard let columns = table.description.restricted(to: request.table.columns) else {
            throw HubError.restNoTable(request.table.name)
        }
        var rows: [ComparedRow] = []
        var met: Set<RowKey> = []
        var reader = CollectionReader(
            model, client, from: FeedState(), maximumPages: limits.maximumPages)
        while let part = try await reader.next() {
            try Task.checkCancellation()
            for item in part.items {
                if model.isDeleted(item) { continue }
                guard let read = try? model.row(item) else {
                    if let id = item[model.table.id].flatMap({ model.table.key(id: $0) }) {
                        let key = try await store.write { [schema] in
                            try DeviceForm(schema: schema, records: $0)
                                .key(id, in: model.table.name)
                        }
                        met.insert(key)
                        rows.append(.withheld(key))
                    }
                    continue
                }
                let row = try await store.inDeviceForm([read], of: model, schema)[0]
                let name = RowName(table: model.table.name, key: row.key)
                let found = found(row, place).filter { met.insert($0.0).inserted }
                let (known, whole) = try await store.write { records in
                    let whole = try found.map {
                        try records.completed($0.1, by: $0.0, of: table)
                    }
                    return (try records.row(name), whole)
                }
                let isBeyond = known?.digest != model.digest(of: row)
                for ((key, _), values) in zip(found, whole) {
                    rows.append(
                        compared(key, values, isBeyond, request, table, columns))
                }
            }
        }
        rows += try await deleted(table, besides: met)
        return CompareAnswer(
            rows: rows.sorted { RowKey.isBefore($0.key, $1.key) }, next: nil)
    }

    private func found(
        _ row: ServerRow, _ place: RESTSchema.Place
    ) -> [(RowKey, RowValues)] {
        guard let child = place.child else { return [(row.key, row.values)] }
        return (row.children[child] ?? []).map { ($0.key, $0.values) }
    }

    private func compared(
        _ key: RowKey, _ values: RowValues, _ isBeyond: Bool, _ request: CompareRequest,
        _ table: RESTTable, _ columns: TableDescription
    ) -> ComparedRow {
        let row = request.table.columns.map { name in
            table.description.column(named: name).flatMap { values[$0] } ?? .null
        }
        return ComparedRow(
            key: key, fingerprint: columns.fingerprint(of: row),
            values: request.withValues ? row : nil, isBeyondCursor: isBeyond)
    }

    /// Rows that the server had, and has no more.
    private func deleted(_ table: RESTTable, besides met: Set<RowKey>) async throws -> [ComparedRow]
    {
        try await keys(of: table).filter { !met.contains($0) }.map {
            ComparedRow(key: $0, fingerprint: nil, values: nil, isBeyondCursor: true)
        }
    }

    /// The server does not tell rows that are only sent. Those that it got count as equal.
    private func sentRows(of table: RESTTable) async throws -> [ComparedRow] {
        try await keys(of: table).map(ComparedRow.withheld)
    }

    private func keys(of table: RESTTable) async throws -> [RowKey] {
        try await store.write { try $0.keys(of: table.name) }
    }
}

extension RESTRecords {
    /// A row of the server with the file's values in columns that the record does not know. They are
    /// the app's own, so they are equal.
    fileprivate func completed(
        _ values: RowValues, by key: RowKey, of table: RESTTable
    ) throws -> RowValues {
        let missing = values.indices.filter { values[$0] == nil }
        if missing.isEmpty { return values }
        let description = table.description
        func names(_ columns: [Int]) -> [String] {
            columns.map { SQLText.name(description.columns[$0].name) }
        }
        let condition = names(description.primaryKey).map { "\($0) = ?" }
        let local = zip(description.primaryKey, key.values).map {
            table.described.local($1, column: $0)
        }
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT \(names(missing).joined(separator: ", "))
                FROM \(SQLText.name(table.name)) WHERE \(condition.joined(separator: " AND "))
                """,
            arguments: StatementArguments(local))
        var values = values
        for (place, column) in missing.enumerated() {
            let value: Value = row.map { $0[place] } ?? .null
            values[column] = table.described.portable(value, column: column)
        }
        return values
    }
}

extension ComparedRow {
    fileprivate static func withheld(_ key: RowKey) -> ComparedRow {
        ComparedRow(
            key: key, fingerprint: nil, values: nil, isBeyondCursor: false, isWithheld: true)
    }
}
