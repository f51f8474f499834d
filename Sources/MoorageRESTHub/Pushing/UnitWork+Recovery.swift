import Moorage
import MoorageCore
import MoorageWire

/// How a unit begins: with nothing, or with a request of an earlier exchange whose answer may have
/// got lost.
extension UnitWork {
    func prepare() async throws {
        let name = name
        heard = try await Set(context.store.children(of: key, in: model))
        let (record, row, hasVersions) = try await context.store.write {
            (
                try $0.request(of: name), try $0.row(name),
                try $0.state(Self.versions(name.table)) != "none"
            )
        }
        if let record, context.store.owner.waits(for: record, at: RequestOwner.now()) {
            throw HubError.restUnderWay
        }
        storedMark = record?.mark
        etag = row?.etag
        // A server that compares versions must get one.
        knowsVersion = row?.strongETag != nil || !hasVersions
        if let record, record.replica == context.replica || original.isAgain {
            try await goOn(record)
        } else {
            begin()
        }
    }

    /// Where it is remembered that rows of a collection have no `ETag`.
    static func versions(_ table: String) -> String { "versions \(table)" }

    private func begin() {
        redirect()
        if isNew {
            theirs = .known(nil)
        } else if model.writesBlindly, knowsVersion || !model.settings.fetching.isReceived,
            let row = presumed()
        {
            theirs = .assumed(row)
        } else {
            theirs = .unread
        }
    }

    /// Lets the rows refer to the keys that the server has given to others.
    private func redirect() {
        func redirected(_ change: PushedChange) -> PushedChange {
            let table = context.schema.table(at: change.place).description
            func values(_ row: RowValues) -> RowValues {
                table.redirected(row, context.rekeyed, in: context.schema)
            }
            var change = change
            switch change.content {
            case .question: break
            case .insert(let row): change.content = .insert(values(row))
            case .delete(let row): change.content = .delete(values(row))
            case .update(let edits, let base, let mine):
                let (base, mine) = (values(base), values(mine))
                change.content = .update(
                    edits: edits.map {
                        ColumnEdit(
                            column: $0.column, old: base[$0.column] ?? $0.old,
                            new: mine[$0.column] ?? $0.new, isFill: $0.isFill)
                    }, base: base, mine: mine)
            }
            return change
        }
        // From what the batch has: keys of the server are no keys of the device.
        unit.root = original.root.map(redirected)
        unit.children = original.children.map(redirected)
    }

    /// The row as the device had it, if it had all of it.
    private func presumed() -> ServerRow? {
        let before: RowValues
        switch unit.root?.content {
        case .update(_, let base, _): before = base
        case .delete(let row): before = row
        case .insert, .question, nil: return nil
        }
        guard !before.contains(nil), let json = try? model.table.json(of: before) else {
            return nil
        }
        return try? model.row(json, etag: etag)
    }

    private func goOn(_ record: RequestRecord) async throws {
        let isSame = record.changes == original.fingerprint
        if record.isDone {
            let row = try await stored(record.answer, etag: record.etag)
            if isSame, record.outcomes.count == original.changes.count {
                return take(stored(record, row))
            }
            // The row has other changes than those that were sent.
            guard record.isInsert, let row else {
                begin()
                return try await rebase(on: record, now: nil)
            }
            return try continueFrom(record, at: row)
        }
        mayHaveArrived = true
        redirect()
        guard record.isInsert, original.root?.isInsert == true else {
            return try await lookAgain(record, isSame: isSame)
        }
        let arrived = try await find(record)
        guard let arrived else {
            // It never arrived, so nothing is known of it.
            return theirs = .known(nil)
        }
        let sent = try await stored(record.body)
        let isAsSent =
            sent.map { model.table.isSame($0.values, as: arrived.values) } ?? false
        let isOurs = model.settings.ids == .server || model.settings.lostAnswers == .idempotencyKey
        if isSame, isAsSent || isOurs {
            let outcomes = original.changes.map { ($0.index, Outcome(kind: .applied)) }
            return try await finish(
                Dictionary(outcomes) { first, _ in first }, arrived, isSent: true,
                isFound: model.settings.lostAnswers == .lookUp)
        }
        if isSame {
            // It may be another device's row with this id.
            theirs = .known(arrived)
        } else {
            try continueFrom(record, at: arrived)
        }
    }

    /// A row that was stored as JSON.
    private func stored(_ json: [UInt8]?, etag: String? = nil) async throws -> ServerRow? {
        guard let json else { return nil }
        return try await serverRow(filled(JSON(parsing: json)), etag: etag)
    }

    /// A row that was stored as JSON by a version of the app whose record had fewer members. The
    /// change has the others.
    private func filled(_ json: JSON) -> JSON {
        if (try? model.row(json)) != nil { return json }
        guard let values = original.root?.valuesBefore, let own = try? model.table.json(of: values)
        else { return json }
        return own.overlaid(by: json)
    }

    /// The outcomes that were stored.
    private func stored(_ record: RequestRecord, _ row: ServerRow?) -> UnitResult {
        let outcomes = zip(original.changes, record.outcomes).map { ($0.index, $1) }
        return UnitResult(
            outcomes: Dictionary(outcomes) { first, _ in first },
            final: row.map { .present($0) } ?? .absent,
            rekeyed: StoredRow(original, model, row, heard: heard).rekeyed)
    }

    /// An insert arrived, and the device changed the row before it knew. What it has beyond what was
    /// sent is an update.
    private func continueFrom(_ record: RequestRecord, at row: ServerRow) throws {
        key = row.key
        context.rekeyed[name] = row.key
        redirect()
        theirs = .unread
        guard let root = unit.root, case .insert(let mine) = root.content,
            let body = record.body
        else { return }
        var base = try model.row(filled(JSON(parsing: body))).values
        var now = mine
        for (column, value) in zip(model.table.description.primaryKey, row.key.values) {
            base[column] = value
            now[column] = value
        }
        let edits = now.indices.compactMap { column -> ColumnEdit? in
            guard let old = base[column], let new = now[column],
                !model.table.description.columns[column].type.equal(old, new)
            else { return nil }
            return ColumnEdit(column: column, old: old, new: new)
        }
        unit.root?.content =
            edits.isEmpty ? .question : .update(edits: edits, base: base, mine: now)
    }

    /// A change of a row that exists may have arrived.
    private func lookAgain(_ record: RequestRecord, isSame: Bool) async throws {
        // If it is sent once more, it must not be answered like the first one.
        formerName = record.name
        let now: ServerRow?
        do { now = try await read() } catch is RowRefused
            where !model.settings.fetching.isReceived
        { now = nil }
        if now == nil, !model.settings.fetching.isReceived {
            // Nobody can look. An update and a deletion may arrive twice.
            return begin()
        }
        theirs = .known(now)
        if !isSame, let now { try await rebase(on: record, now: now) }
        guard isSame, let before = try await stored(record.theirs) else { return }
        // The merge is the same as then, so its outcomes are.
        let plan = try UnitMerge(model: model, unit: unit, known: nil)
            .plan(before)
        let sent = try await stored(record.body)
        guard isAsSent(sent, now) else {
            // The next merge is the same one, and lists the same.
            if let now, isAsSent(before, now) { return }
            return try await listConflicts(plan.outcomes)
        }
        try await finish(plan.outcomes, now, isSent: true)
    }

    /// What an earlier request of this device wrote is no change of others: a later edit began with it.
    ///
    /// - Parameter now: The server's row; `nil` if the server took the request for sure.
    private func rebase(on record: RequestRecord, now: ServerRow?) async throws {
        guard case .update(let edits, var base, let mine) = unit.root?.content,
            let sent = try await stored(record.body)?.values,
            let before = try await stored(record.theirs)?.values
        else { return }
        func isEqual(_ column: Int, _ one: Value?, _ other: Value?) -> Bool {
            guard let one, let other else { return false }
            return model.table.description.columns[column].type.equal(one, other)
        }
        let rest = edits.compactMap { edit -> ColumnEdit? in
            let column = edit.column
            guard let value = sent[column], !isEqual(column, value, before[column]),
                now.map({ isEqual(column, value, $0.values[column]) }) ?? true
            else { return edit }
            base[column] = value
            if isEqual(column, value, edit.new) { return nil }
            return ColumnEdit(column: column, old: value, new: edit.new, isFill: edit.isFill)
        }
        unit.root?.content =
            rest.isEmpty ? .question : .update(edits: rest, base: base, mine: mine)
    }

    /// Somebody changed the row since. Nobody can say whether the request replaced anything before
    /// that, so what it would have replaced is listed. The next merge is with another row.
    private func listConflicts(_ outcomes: [Int: Outcome]) async throws {
        let batch = context.batch
        let name = name
        try await context.store.write { records in
            for (index, outcome) in outcomes {
                guard let overruling = outcome.overruling else { continue }
                try ReplicaFile(tables: []).list(
                    overruling, of: batch.changes[index], in: batch,
                    at: batch.preparedAt, records.db)
            }
            try records.forgetRequest(of: name)
        }
        storedMark = nil
    }

    private func isAsSent(_ sent: ServerRow?, _ now: ServerRow?) -> Bool {
        guard let sent, let now else { return sent == nil && now == nil }
        return model.digest(of: sent) == model.digest(of: now)
    }

    /// The row that a request made, if it arrived.
    private func find(_ record: RequestRecord) async throws -> ServerRow? {
        guard let body = record.body else { return nil }
        let json = try JSON(parsing: body)
        if model.settings.lostAnswers == .idempotencyKey {
            let request = PreparedRequest(
                method: model.settings.inserts == .post ? "POST" : "PUT", path: model.path,
                id: model.settings.inserts == .post ? nil : RESTTable.id(of: key),
                name: record.name, ifMatch: nil, isNewOnly: model.settings.inserts == .put,
                row: json, body: json)
            let answer = try await context.send(request, for: self)
            guard answer.isSuccess else {
                // It may work on the first one, as long as that one is new.
                if answer.status == 409, record.isRecent(at: RequestOwner.now()),
                    try await isNowhere()
                {
                    throw HubError.restBusy(status: 409, retryAfter: .seconds(2))
                }
                // What the server refuses now, it refused then.
                return nil
            }
            // Whoever answered so took nothing.
            if answer.isPage { throw HubError.restNotOurs("a page") }
            do { return try await landed(json, answer) } catch is RowWithoutID {
                return try await search(json)
            }
        }
        guard model.settings.ids == .server else {
            do { return try await read() } catch is RowRefused
                where !model.settings.fetching.isReceived
            {
                // Nobody can look, so it goes again.
                return nil
            }
        }
        return try await search(json)
    }

    /// Whether the server has no row by the key of a new one, for all that anybody can say.
    private func isNowhere() async throws -> Bool {
        if model.settings.ids == .server { return true }
        do { return try await read() == nil } catch is RowRefused { return true }
    }

    /// Looks for a new row whose id the server has made.
    func search(_ json: JSON) async throws -> ServerRow? {
        let sent = try model.row(filled(json))
        return try await context.search(model, known: names) { row in
            model.table.isSame(sent.values, as: row.values)
        }
    }
}
