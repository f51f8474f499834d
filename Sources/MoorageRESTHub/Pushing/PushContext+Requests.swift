import Moorage
import MoorageCore
import MoorageWire

/// Requests of units, one at a time and in batches.
extension PushContext {
    func send(_ request: PreparedRequest, for work: UnitWork) async throws -> RESTAnswer {
        guard let url = client.address(request.path, id: request.id) else {
            throw HubError.pathUnusable(request.path, of: work.model.table.name)
        }
        var headers = [(name: "Idempotency-Key", value: request.name)]
        if let etag = request.ifMatch { headers.append(("If-Match", etag)) }
        if request.isNewOnly { headers.append(("If-None-Match", "*")) }
        return try await client.send(
            request.method, url, headers: headers,
            body: request.body.map { work.outgoing($0).bytes }, type: request.type)
    }

    /// Sends several requests as one.
    ///
    /// - Returns: One answer for each.
    func send(
        _ run: [(work: UnitWork, request: PreparedRequest)], in batch: RESTBatch
    ) async throws -> [Result<RESTAnswer, HubError>] {
        guard let url = client.address(batch.path), let first = run.first else {
            throw HubError.pathUnusable(batch.path, of: run.first?.work.model.table.name ?? "")
        }
        let operations = run.map { work, request in
            var members: [(name: String, value: JSON)] = [
                ("method", .string(request.method)),
                ("path", .string(RESTClient.relativePath(request.path, id: request.id))),
                ("idempotencyKey", .string(request.name)),
            ]
            if let etag = request.ifMatch { members.append(("ifMatch", .string(etag))) }
            if request.isNewOnly { members.append(("ifNoneMatch", .string("*"))) }
            if let body = request.body { members.append(("body", work.outgoing(body))) }
            return JSON.object(members)
        }
        var name = Fingerprint()
        for (_, request) in run { name.add(request.name.utf8) }
        let answer = try await client.send(
            "POST", url, headers: [("Idempotency-Key", name.hex)],
            body: JSON.object([("operations", .array(operations))]).bytes)
        guard answer.isSuccess else {
            if answer.isGone || [405, 501].contains(answer.status) {
                throw HubError.restNotFound(batch.path, status: answer.status)
            }
            // One of them may be at fault alone, and answers for itself.
            var answers: [Result<RESTAnswer, HubError>] = []
            for (work, request) in run {
                answers.append(.success(try await send(request, for: work)))
            }
            return answers
        }
        guard let results = try answer.json()?["results"]?.elements, results.count == run.count
        else { throw HubError.restBatchMismatch(first.request.path) }
        return results.map(self.answer)
    }

    private func answer(_ result: JSON) -> Result<RESTAnswer, HubError> {
        guard case .number(let text)? = result["status"], let status = Int(text) else {
            return .failure(.restNotOurs("a result without a status"))
        }
        var headers: [String: String] = [:]
        for name in ["etag", "location", "retry-after"] {
            if let text = result[name]?.addressText { headers[name] = text }
        }
        return Result { () throws(HubError) in
            try client.answer(status, headers, result["body"]?.bytes ?? [])
        }
    }
}

extension UnitWork {
    /// A body as it goes out: in its envelope, without the ids that the server makes.
    func outgoing(_ row: JSON) -> JSON {
        var row = row
        if isNew, model.settings.ids == .server { row = row.removing(model.table.id) }
        for (number, group) in model.children.enumerated() where group.table.ids == .server {
            guard let elements = row[group.member]?.elements else { continue }
            let new = Set(
                original.children.filter { $0.place.child == number && $0.isInsert }.map(\.key))
            row = row.setting(
                group.member,
                .array(
                    elements.map { element in
                        let key = element[group.table.id].flatMap { group.table.key(id: $0) }
                        return key.map(new.contains) == true
                            ? element.removing(group.table.id) : element
                    }))
        }
        return model.settings.requestEnvelope.map { .object([(name: $0, value: row)]) } ?? row
    }
}
