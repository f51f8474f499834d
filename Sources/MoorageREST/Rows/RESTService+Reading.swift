import MoorageCore
import MoorageHub

/// Answers requests that read rows.
extension RESTService {
    func listTables(
        _ request: RESTRequest, for principal: Principal?
    ) async throws -> RESTResponse {
        _ = try QueryParameters(request.query, [])
        _ = try request.answerType(among: [.json])
        let schema = try await hub.readRows(for: principal, isOneStatement: true) { $0.schema }
        return .json { TableListing(schema).write(to: &$0) }
    }

    func list(
        _ name: String, _ request: RESTRequest, for principal: Principal?
    ) async throws -> RESTResponse {
        let parameters = try QueryParameters(
            request.query, [.filter, .sort, .limit, .after, .columns, .related, .count])
        let list = try ListRequest(parameters)
        let type = try request.answerType(among: [.json, .csv])
        if type == .csv {
            if !list.related.isEmpty { throw RESTProblem.notInCSV("related") }
            if list.isCounted { throw RESTProblem.notInCSV("count") }
        }
        let isOneStatement = list.related.isEmpty && !list.isCounted
        let (form, page) = try await hub.readRows(
            for: principal, isOneStatement: isOneStatement
        ) { reader in
            let table = try reader.schema.offeredTable(named: name)
            try reader.schema.check(list.related, of: table)
            let form = try RowForm(table, columns: list.columns)
            return (form, try reader.page(of: list.list(of: table)))
        }
        var headers: [(name: String, value: String)] = []
        if let next = page.next {
            let path = "/v1/tables/\(PercentEncoding.encode(name))"
            let link = "<\(path)?\(parameters.with(.after, next))>; rel=\"next\""
            if link.utf8.count <= Self.mostLinkBytes { headers.append(("Link", link)) }
        }
        return type == .csv ? csv(page, form, headers) : json(page, form, headers)
    }

    /// Proxies refuse answers with long headers.
    private static let mostLinkBytes = 2_000

    private func json(
        _ page: RowPage, _ form: RowForm, _ headers: [(name: String, value: String)]
    ) -> RESTResponse {
        .json(headers: headers) {
            $0.object {
                $0.name("rows")
                $0.array { for row in page.rows { form.write(row, to: &$0) } }
                $0.name("next")
                if let next = page.next { $0.string(next) } else { $0.null() }
                if let count = page.count {
                    $0.name("count")
                    $0.integer(Int64(count))
                }
            }
        }
    }

    private func csv(
        _ page: RowPage, _ form: RowForm, _ headers: [(name: String, value: String)]
    ) -> RESTResponse {
        var writer = CSVWriter()
        writer.add(form.names)
        for row in page.rows { writer.add(form.texts(of: row)) }
        return RESTResponse(
            status: 200,
            headers: [("Content-Type", "text/csv; charset=utf-8; header=present")] + headers,
            body: writer.bytes)
    }

    func read(
        _ path: RowPath, _ request: RESTRequest, for principal: Principal?
    ) async throws -> RESTResponse {
        let list = try ListRequest(QueryParameters(request.query, [.columns, .related]))
        _ = try request.answerType(among: [.json])
        let preconditions = try Preconditions(request)
        let (form, row) = try await hub.readRows(
            for: principal, isOneStatement: list.related.isEmpty
        ) { reader in
            let table = try reader.schema.offeredTable(named: path.table)
            try reader.schema.check(list.related, of: table)
            let form = try RowForm(table, columns: list.columns)
            guard let key = table.description.key(ofPath: path.key) else {
                throw RESTProblem.noKey(of: table.description)
            }
            return (form, try reader.row(key, of: table, with: list.related))
        }
        guard let row else { throw RESTProblem.noRow(of: form.table) }
        // A row's version says nothing of the rows that are related to it.
        guard list.related.isEmpty else { return .json { form.write(row, to: &$0) } }
        let tag = EntityTag.header(of: row.etag)
        switch preconditions.verdict(on: row.etag) {
        case .met: return .json(headers: [tag]) { form.write(row, to: &$0) }
        case .changed: throw RESTProblem.rowChanged(in: form.table)
        case .notModified: return RESTResponse(status: 304, headers: [tag])
        }
    }
}
