import Foundation
import Moorage
import MoorageCore
import MoorageWire

/// What the units of one batch share. One task alone uses it.
final class PushContext {
    let schema: RESTSchema
    let client: RESTClient
    let store: RESTStore
    let replica: String
    let batch: Batch
    let limits: RESTLimits
    /// Rows that have another key at the server than on the device.
    var rekeyed: [RowName: RowKey] = [:]
    /// New rows that have no key of the server yet.
    var unmade: Set<RowName> = []
    /// Rows that refer to new ones that the server refused in earlier batches.
    var unmadeReferences: Set<UnmadeReference> = []
    private(set) var outcomes: [Int: Outcome] = [:]
    var content: PageContent

    init(
        schema: RESTSchema, client: RESTClient, store: RESTStore, replica: String, batch: Batch,
        limits: RESTLimits
    ) {
        self.schema = schema
        self.client = client
        self.store = store
        self.replica = replica
        self.batch = batch
        self.limits = limits
        content = PageContent(schema)
    }

    /// One outcome for each change.
    var allOutcomes: [Outcome] {
        batch.changes.indices.map { outcomes[$0] ?? Outcome(kind: .applied) }
    }

    // MARK: Reading

    /// A row of the server; `nil` for none.
    ///
    /// - Parameter known: Rows that the device has, whatever the server has told so far.
    /// - Throws: ``RowFault`` for a row that cannot be read, ``RowRefused``, and ``HubError``.
    func read(
        _ key: RowKey, of model: RESTModel, known: Set<RowName> = []
    ) async throws -> ServerRow? {
        guard let id = RESTTable.id(of: key), let url = client.address(model.path, id: id) else {
            throw RowRefused(.idUnusable)
        }
        let answer = try await client.send("GET", url)
        if answer.isGone { return nil }
        guard answer.isSuccess else {
            // A model that is only sent may have rows that nobody can read.
            if [405, 501].contains(answer.status), model.settings.fetching.isReceived {
                throw HubError.restNotFound(model.path, status: answer.status)
            }
            throw RowRefused(Refusal(answer))
        }
        guard let json = try answer.json().map(model.unwrapped) else {
            throw HubError.restNotOurs("an empty answer")
        }
        if model.isDeleted(json) { return nil }
        let read = try model.row(json, etag: answer.etag)
        let asked: Set = [RowName(table: model.table.name, key: key)]
        let row = try await store.inDeviceForm(
            [read], of: model, schema, known: known.union(asked))[0]
        guard row.key == key else { throw RowFault("The answer has a row with another id.") }
        return row
    }

    // MARK: Results

    func applied(_ change: PushedChange) { outcomes[change.index] = Outcome(kind: .applied) }

    func refuse(_ change: PushedChange, _ refusal: Refusal) {
        outcomes[change.index] = Outcome(kind: .refused(refusal))
    }

    /// Takes what became of a unit.
    func finish(_ unit: PushUnit, _ result: UnitResult) async throws {
        for (index, outcome) in result.outcomes { outcomes[index] = outcome }
        let model = schema.models[unit.model]
        let table = model.table.name
        var gone: [RowName] = unit.children.map {
            RowName(table: schema.table(at: $0.place).name, key: $0.key)
        }
        switch result.final {
        case .unknown:
            // The next list brings it.
            content.forget(RowName(table: table, key: unit.key))
            return
        case .absent where unit.root?.isInsert == true:
            try await bringBack(unit.key, of: model)
        case .absent: gone.append(RowName(table: table, key: unit.key))
        case .present(let row):
            for name in unit.names(in: schema) { unmade.remove(name) }
            for (key, new) in result.rekeyed { rekeyed[key] = new }
            if row.key != unit.key {
                rekeyed[RowName(table: table, key: unit.key)] = row.key
                try await bringBack(unit.key, of: model)
            }
            gone += try await store.children(of: row.key, in: model)
            // Elements that the answer says nothing about stay.
            let told = Set(
                zip(model.children, row.children).filter { $1 != nil }.map { $0.0.table.name })
            // The row itself comes last: what it has is not gone.
            content.remove(gone.filter { told.contains($0.table) })
            content.put(row, of: model, isFresh: true)
            return
        }
        gone += try await store.children(of: unit.key, in: model)
        content.remove(gone)
    }

    /// A row of the device does not have this key at the server. Another row may have had it all the
    /// time, and could not go in.
    private func bringBack(_ key: RowKey, of model: RESTModel) async throws {
        let name = RowName(table: model.table.name, key: key)
        guard content.rows[name] == nil else { return }
        guard try await store.write({ try $0.row(name) != nil }) else {
            return content.remove([name])
        }
        do {
            if let row = try await read(key, of: model) {
                content.put(row, of: model, isFresh: true)
            } else {
                content.remove([name])
            }
        } catch is RowFault {
            content.forget(name)
        } catch is RowRefused {
            content.forget(name)
        }
    }

    /// The parent of an element is unknown, so the server has no such element.
    func leaveOut(_ orphan: PushedChange) {
        let name = RowName(table: schema.table(at: orphan.place).name, key: orphan.key)
        switch orphan.content {
        case .insert, .update: outcomes[orphan.index] = Outcome(kind: .refused(.parentMissing))
        case .delete, .question: break
        }
        content.remove([name])
    }
}

/// What became of a unit.
struct UnitResult: Sendable {
    enum Final: Sendable {
        case present(ServerRow)
        case absent
        /// Nobody could say.
        case unknown
    }

    /// By the changes' positions in the batch.
    let outcomes: [Int: Outcome]
    let final: Final
    /// New keys of elements.
    var rekeyed: [RowName: RowKey] = [:]
}

/// The server does not tell, or does not take, a row.
struct RowRefused: Error {
    let refusal: Refusal

    init(_ refusal: Refusal) { self.refusal = refusal }
}

extension RESTModel {
    /// The row of an answer.
    func unwrapped(_ json: JSON) -> JSON {
        settings.envelope.flatMap { json[$0] } ?? json
    }
}

extension RESTStore {
    /// The elements of a row that the server had.
    func children(of key: RowKey, in model: RESTModel) async throws -> [RowName] {
        let tables = model.children.map(\.table.name)
        if tables.isEmpty { return [] }
        return try await write { records in
            try tables.flatMap { table in
                try records.children(table, of: key).map { RowName(table: table, key: $0) }
            }
        }
    }
}
