import MoorageCore
import MoorageWire

/// A row as the server has it, with its children.
struct ServerRow: Sendable {
    struct Child: Sendable {
        let key: RowKey
        let json: JSON
        let values: RowValues
    }

    let key: RowKey
    let json: JSON
    let values: RowValues
    /// For each of the model's children the elements; `nil` where the answer has no such member.
    let children: [[Child]?]
    let etag: String?

    /// A weak one never matches in `If-Match`.
    var strongETag: String? { etag.flatMap { $0.hasPrefix("W/") ? nil : $0 } }
}

extension RESTModel {
    /// Reads a row of the server.
    func row(_ json: JSON, etag: String? = nil) throws(RowFault) -> ServerRow {
        guard json.members != nil else { throw RowFault("The row is no JSON object.") }
        let values = try table.values(of: json)
        guard let key = table.key(of: values) else {
            throw RowFault("The member \(table.id) has no id.")
        }
        var elements: [[ServerRow.Child]?] = []
        for group in children {
            guard let list = json[group.member] else {
                elements.append(nil)
                continue
            }
            var rows: [ServerRow.Child] = []
            for element in list.elements ?? [] {
                rows.append(
                    try child(element, group, of: key, id: json[table.id] ?? .null))
            }
            guard Set(rows.map(\.key)).count == rows.count else {
                throw RowFault("The member \(group.member) has two elements with one id.")
            }
            elements.append(rows)
        }
        return ServerRow(key: key, json: json, values: values, children: elements, etag: etag)
    }

    private func child(
        _ json: JSON, _ group: BoundChildren, of parent: RowKey, id: JSON
    ) throws(RowFault) -> ServerRow.Child {
        guard json.members != nil else {
            throw RowFault("The member \(group.member) has an element that is no object.")
        }
        var values = try group.table.values(of: json.setting(group.parentID, id))
        for (column, value) in zip(group.parentColumns, parent.values) { values[column] = value }
        guard let key = group.table.key(of: values) else {
            throw RowFault("An element of \(group.member) has no id.")
        }
        return ServerRow.Child(key: key, json: json, values: values)
    }

    /// A digest of what the device stores of a row: equal rows have equal ones.
    func digest(of row: ServerRow) -> String {
        var digest = Fingerprint()
        func add(_ values: RowValues, _ table: RESTTable) {
            digest.add(
                table.description.fingerprint(of: values.map { $0 ?? .null }).utf8)
            for value in values { digest.add(UInt8(value == nil ? 0 : 1)) }
        }
        add(row.values, table)
        for (group, elements) in zip(children, row.children) {
            digest.add(UInt64(elements?.count ?? 0))
            let elements = (elements ?? []).sorted {
                $0.key.values.jsonText() < $1.key.values.jsonText()
            }
            for element in elements { add(element.values, group.table) }
        }
        return digest.hex
    }
}
