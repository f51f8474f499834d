import Foundation
import Moorage
import MoorageCore

/// The server took a new row, and does not tell which id it gave it.
struct RowWithoutID: Error {}

/// What the server made of a row that it took.
extension UnitWork {
    /// - Throws: ``RowWithoutID`` where the server makes the ids and tells none, and ``RowFault``.
    /// The row that the server has now: as it was sent, with what the answer says.
    func landed(_ body: JSON, _ answer: RESTAnswer) async throws -> ServerRow {
        var json = body
        var answered = (try? answer.json())?.map(model.unwrapped)
        if !isNew, let id = answered?[model.table.id], !isOwn(id) {
            // It is about something else, such as a job that will do it.
            answered = nil
        }
        if let answered, answered.members != nil { json = body.overlaid(by: answered) }
        if isNew, model.settings.ids == .server, answered?[model.table.id]?.addressText == nil {
            guard let id = located(answer) else { throw RowWithoutID() }
            json = json.setting(model.table.id, id)
        }
        do {
            return try await serverRow(json, etag: answer.etag)
        } catch let fault as RowFault {
            // What was sent is a row, in any case.
            guard model.settings.ids == .device || !isNew else { throw fault }
            return try await serverRow(body, etag: answer.etag)
        }
    }

    /// Whether an id is the row's, also in other letters.
    private func isOwn(_ id: JSON) -> Bool {
        guard let other = model.table.key(id: id) else { return false }
        guard case .text(let one)? = key.values.first, case .text(let text)? = other.values.first,
            let bytes = UUIDText.bytes(one)
        else { return other == key }
        return UUIDText.bytes(text) == bytes
    }

    /// The id in the address of a new row.
    private func located(_ answer: RESTAnswer) -> JSON? {
        guard let location = answer.headers["location"], let url = URL(string: location),
            let last = url.pathComponents.last(where: { $0 != "/" })
        else { return nil }
        return model.table.json(id: last)
    }
}

/// The values that the server has of the rows of a unit.
struct StoredRow {
    private let unit: PushUnit
    private let model: RESTModel
    private let now: ServerRow?
    /// New keys of elements, by the device's.
    private(set) var rekeyed: [RowName: RowKey] = [:]

    /// - Parameter heard: The elements that the device has heard of.
    init(_ unit: PushUnit, _ model: RESTModel, _ now: ServerRow?, heard: Set<RowName>) {
        self.unit = unit
        self.model = model
        self.now = now
        guard let now else { return }
        for (number, group) in model.children.enumerated() where group.table.ids == .server {
            let elements = (now.children[number] ?? []).map(\.key)
            func name(_ key: RowKey) -> RowName { RowName(table: group.table.name, key: key) }
            let inserted = unit.children.filter { $0.place.child == number && $0.isInsert }
                .map(\.key).filter { !elements.contains($0) }
            let new = elements.filter { key in
                !heard.contains(name(key)) && !unit.children.contains { $0.key == key }
            }
            // The server has them in the order in which they were sent.
            guard inserted.count == new.count else { continue }
            for (old, key) in zip(inserted, new) { rekeyed[name(old)] = key }
        }
    }

    /// - Returns: `nil` if the server has no such row.
    func values(of change: PushedChange) -> RowValues? {
        guard let child = change.place.child else { return now?.values }
        let group = model.children[child]
        let name = RowName(table: group.table.name, key: change.key)
        let key = rekeyed[name] ?? change.key
        return now?.children[child]?.first { $0.key == key }?.values
    }
}
