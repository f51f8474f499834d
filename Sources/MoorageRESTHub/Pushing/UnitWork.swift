import Moorage
import MoorageCore
import MoorageWire

/// A request for one unit, before it is sent.
struct PreparedRequest: Sendable {
    let method: String
    /// Below the API's address.
    let path: String
    let id: String?
    let name: String
    let ifMatch: String?
    let isNewOnly: Bool
    /// The row afterwards; `nil` for a deletion.
    let row: JSON?
    /// What goes out; `nil` for nothing.
    let body: JSON?
    /// The type of the body where it is not the API's own.
    var type: String?
}

/// What one unit needs, from the first request to its outcomes. Requests come out, and answers go
/// in. It reads rows itself.
final class UnitWork {
    /// What is known of the server's row.
    enum Theirs {
        case unread
        /// What the device had before its change.
        case assumed(ServerRow)
        case known(ServerRow?)
    }

    let context: PushContext
    let original: PushUnit
    let model: RESTModel
    /// The changes as they are merged.
    var unit: PushUnit
    /// The key at the server.
    var key: RowKey
    var theirs = Theirs.unread
    /// Elements that the device has heard of.
    var heard: Set<RowName> = []
    /// The version of the row that the device last heard of.
    var etag: String?
    /// Whether a request can say which version of the row it changes, or need not.
    var knowsVersion = false
    /// The name of an earlier request for these changes, which is not the one that is sent.
    var formerName = ""
    /// ``RequestRecord/mark`` of the request that is stored; `nil` for none.
    var storedMark: String?
    /// Whether an earlier request may have arrived, whose answer got lost.
    var mayHaveArrived = false
    private(set) var result: UnitResult?
    private var sent: (request: PreparedRequest, plan: UnitMerge.Plan, row: ServerRow?)?
    private var isPrepared = false
    private var tries = 0
    private static let maximumTries = 5

    init(_ unit: PushUnit, _ context: PushContext) {
        original = unit
        self.unit = unit
        self.context = context
        model = context.schema.models[unit.model]
        key = unit.key
    }

    var name: RowName { RowName(table: model.table.name, key: original.key) }
    var isNew: Bool { unit.root?.isInsert == true }

    // MARK: Going on

    /// The next request; `nil` once the unit has its outcomes.
    func next() async throws -> PreparedRequest? {
        while result == nil {
            do {
                if !isPrepared {
                    try await prepare()
                    isPrepared = true
                    continue
                }
                if let request = try await decide() { return request }
            } catch let fault as RowFault {
                try await refuse(.unreadable(fault), final: .unknown)
            } catch let refused as RowRefused {
                try await refuse(refused.refusal, final: .unknown)
            }
        }
        return nil
    }

    private func decide() async throws -> PreparedRequest? {
        let row = try await serverRow()
        // The device's key of a new row may be another row's at the server.
        let isEarlier = context.refersToUnmade(original)
        if isEarlier
            || original.references(in: context.schema).contains(where: context.unmade.contains)
        {
            if isEarlier { try await context.tookReferences(of: original) }
            try await refuse(.referenceMissing, final: row.map { .present($0) } ?? .absent)
            return nil
        }
        let plan = try UnitMerge(
            model: model, unit: unit, known: mayHaveArrived ? heard : nil
        ).plan(row)
        let request: PreparedRequest
        switch plan.write {
        case .none:
            try await finish(plan.outcomes, row)
            return nil
        case .post(let new): request = try self.request(new, new, row)
        case .put(let new, let body): request = try self.request(new, body, row)
        case .delete: request = try self.request(nil, nil, row)
        }
        try await remember(request, row)
        sent = (request, plan, row)
        return request
    }

    /// The server's row as it is now.
    func read() async throws -> ServerRow? {
        try await context.read(key, of: model, known: names)
    }

    private func serverRow() async throws -> ServerRow? {
        switch theirs {
        case .known(let row): return row
        case .assumed(let row): return row
        case .unread:
            let row = try await read()
            theirs = .known(row)
            if let row, model.settings.detection == .byServer {
                let (name, text) = (
                    Self.versions(name.table), row.strongETag == nil ? "none" : "some"
                )
                try await context.store.write { try $0.setState(name, text) }
            }
            try checkElements(of: row)
            return row
        }
    }

    /// Without the elements that the server has, a request would delete them.
    private func checkElements(of row: ServerRow?) throws(RowFault) {
        guard let row, unit.root?.isUpdate == true || !unit.children.isEmpty else { return }
        for (group, elements) in zip(model.children, row.children)
        where elements == nil && heard.contains(where: { $0.table == group.table.name }) {
            throw RowFault("The answer has no member \(group.member).")
        }
    }

    private func request(
        _ new: JSON?, _ body: JSON?, _ row: ServerRow?
    ) throws(RowRefused) -> PreparedRequest {
        let isPost = new != nil && row == nil && model.settings.inserts == .post
        let isUpdate = new != nil && row != nil
        let updates = model.settings.updates
        let method =
            isPost ? "POST" : new == nil ? "DELETE" : isUpdate && updates != .put ? "PATCH" : "PUT"
        let id = RESTTable.id(of: key)
        guard isPost || id != nil else { throw RowRefused(.idUnusable) }
        return PreparedRequest(
            method: method, path: model.path, id: isPost ? nil : id,
            name: requestName(new, row?.etag), ifMatch: row?.strongETag,
            isNewOnly: row == nil && !isPost && new != nil, row: new, body: body,
            type: isUpdate && updates == .mergePatch ? "application/merge-patch+json" : nil)
    }

    /// The same for the same request about the same change, and never for another one.
    private func requestName(_ body: JSON?, _ etag: String?) -> String {
        var fingerprint = Fingerprint()
        fingerprint.add(context.replica.utf8)
        fingerprint.add(context.batch.nonce.utf8)
        fingerprint.add(name.table.utf8)
        fingerprint.add(name.key.values.jsonText().utf8)
        fingerprint.add(UInt64(tries))
        fingerprint.add(body?.bytes ?? [])
        fingerprint.add((etag ?? "").utf8)
        fingerprint.add(formerName.utf8)
        return fingerprint.hex
    }

    /// Stores what is about to be sent.
    private func remember(_ request: PreparedRequest, _ row: ServerRow?) async throws {
        let record = RequestRecord(
            replica: context.replica, number: context.batch.number, changes: original.fingerprint,
            name: request.name, isInsert: row == nil, body: request.row?.bytes,
            theirs: row?.json.bytes, owner: context.store.owner.name, sentAt: RequestOwner.now())
        try await context.store.write { [name, storedMark] records in
            // Another process may send the same.
            guard try records.request(of: name)?.mark == storedMark else {
                throw HubError.restUnderWay
            }
            try records.setRequest(record, of: name)
        }
        storedMark = record.mark
    }

    /// Takes the answer to the last request.
    func received(_ answer: RESTAnswer) async throws {
        guard let (request, plan, row) = sent else { return }
        sent = nil
        do {
            try await received(answer, request, plan, row)
        } catch let fault as RowFault {
            // The server took it. What it answered is no row.
            if request.method == "POST", isNew, model.settings.ids == .server,
                let row = request.row, let made = try await search(row)
            {
                return try await finish(plan.outcomes, made, isSent: true, isFound: true)
            }
            try await refuse(.unreadable(fault), final: .unknown)
        } catch let refused as RowRefused {
            try await refuse(refused.refusal, final: .unknown)
        }
    }

    private func received(
        _ answer: RESTAnswer, _ request: PreparedRequest, _ plan: UnitMerge.Plan, _ row: ServerRow?
    ) async throws {
        if answer.isSuccess {
            // Whoever answered so took nothing.
            if answer.isPage { throw HubError.restNotOurs("a page") }
            var now: ServerRow?
            if let row = request.row {
                // Where nobody tells its id, the next list brings it.
                do { now = try await landed(row, answer) } catch is RowWithoutID {
                    now = try await search(row)
                }
            }
            return try await finish(plan.outcomes, now, isSent: true)
        }
        if answer.isConflict { return try await meet(answer, row) }
        if answer.isGone {
            switch request.method {
            case "DELETE":
                try await checkRoute(request, answer)
                return try await finish(plan.outcomes, nil, isSent: true)
            case "PATCH",
                "PUT" where !request.isNewOnly:
                try await checkRoute(request, answer)
                return try again(with: .known(nil))
            default:
                // A collection that can be read is there. The server lacks something else, such as
                // the row that this one belongs to.
                guard request.method == "POST", try await context.canRead(model) else {
                    throw HubError.restNotFound(model.path, status: answer.status)
                }
                return try await refuse(Refusal(answer), final: .absent)
            }
        }
        // A collection that can be read is there. It does not take such a change.
        if answer.status == 405, !model.settings.fetching.isReceived, request.id == nil {
            throw HubError.restNotFound(model.path, status: answer.status)
        }
        try await refuse(Refusal(answer), final: try await rest(row))
    }

    /// A server without the route answers like one without the row.
    private func checkRoute(_ request: PreparedRequest, _ answer: RESTAnswer) async throws {
        do {
            guard try await read() != nil else { return }
        } catch is RowRefused {
            // Nobody can look.
            return
        } catch is RowFault {}
        throw HubError.restNoRoute(request.method, model.path, status: answer.status)
    }

    /// The server has the row in another state, or refuses it for another reason.
    private func meet(_ answer: RESTAnswer, _ row: ServerRow?) async throws {
        // The device's key of a new row means nothing to a server that makes the keys.
        if row == nil, model.settings.ids == .server {
            return try await refuse(Refusal(answer), final: .absent)
        }
        let now: ServerRow?
        do { now = try await read() } catch is RowRefused {
            return try await refuse(Refusal(answer), final: .unknown)
        }
        if case .known = theirs, isSame(row, now) {
            return try await refuse(Refusal(answer), final: now.map { .present($0) } ?? .absent)
        }
        if answer.status == 409, tries + 1 == Self.maximumTries, isEqual(row, now) {
            // Only the version is another one each time, so the refusal is about something else.
            return try await refuse(Refusal(answer), final: now.map { .present($0) } ?? .absent)
        }
        try again(with: .known(now))
    }

    private func again(with now: Theirs) throws {
        theirs = now
        tries += 1
        // Others change the row faster than this device reads it.
        guard tries < Self.maximumTries else {
            throw HubError.restBusy(status: 409, retryAfter: nil)
        }
    }

    private func isSame(_ one: ServerRow?, _ other: ServerRow?) -> Bool {
        one?.etag == other?.etag && isEqual(one, other)
    }

    private func isEqual(_ one: ServerRow?, _ other: ServerRow?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return model.digest(of: one) == model.digest(of: other)
    }

    /// The row as it remains after a refusal.
    private func rest(_ row: ServerRow?) async throws -> UnitResult.Final {
        switch theirs {
        case .known(let row): return row.map { .present($0) } ?? .absent
        case .assumed, .unread:
            guard model.settings.fetching.isReceived else { return .unknown }
            return try await read().map { .present($0) } ?? .absent
        }
    }

    // MARK: The end

    /// - Parameters:
    ///   - now: The row that the server has; `nil` for none.
    ///   - isSent: Whether the server took a request.
    ///   - isFound: Whether the row was found later. Others may have changed it since, and that is
    ///     not what the server made of it.
    func finish(
        _ outcomes: [Int: Outcome], _ now: ServerRow?, isSent: Bool = false, isFound: Bool = false
    ) async throws {
        let stored = StoredRow(original, model, now, heard: heard)
        var outcomes = outcomes
        for change in original.changes {
            guard let outcome = outcomes[change.index], !outcome.isRefused,
                let values = stored.values(of: change)
            else { continue }
            let table = context.schema.table(at: change.place).description
            let merged = unit.changes.first { $0.index == change.index }
            outcomes[change.index] = Outcome(
                kind: outcome.kind,
                stored: change.stored(values, in: table) { column in
                    !isFound || table.isKey(column)
                        || merged?.pushed(column) != change.pushed(column)
                },
                overruling: outcome.overruling)
        }
        let result = UnitResult(
            outcomes: outcomes, final: now.map { .present($0) } ?? .absent,
            rekeyed: stored.rekeyed)
        if isSent { try await keep(outcomes, now) }
        self.result = result
    }

    /// Stores the outcomes, so that the same batch gets the same ones again.
    private func keep(_ outcomes: [Int: Outcome], _ now: ServerRow?) async throws {
        let list = original.changes.map { outcomes[$0.index] ?? Outcome(kind: .applied) }
        try await context.store.write { [name] records in
            guard var record = try records.request(of: name) else { return }
            record.isDone = true
            record.outcomes = list
            record.answer = now?.json.bytes
            record.etag = now?.etag
            record.newKey = now?.key
            try records.setRequest(record, of: name)
        }
    }

    private func refuse(_ refusal: Refusal, final: UnitResult.Final) async throws {
        var final = final
        // Whatever the server has, it is not the row by the key that this device gave it.
        if case .unknown = final, original.root?.isInsert == true { final = .absent }
        var outcomes: [Int: Outcome] = [:]
        for change in original.changes {
            if case .question = change.content { continue }
            outcomes[change.index] = Outcome(kind: .refused(refusal))
        }
        // Nothing came of the request.
        try await context.store.write { [name] in try $0.forgetRequest(of: name) }
        result = UnitResult(outcomes: outcomes, final: final)
    }

    /// Takes what an earlier exchange has learned.
    func take(_ result: UnitResult) { self.result = result }
}

extension Outcome {
    var isRefused: Bool { if case .refused = kind { true } else { false } }
}
