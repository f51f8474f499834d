import FieldNotesModel
import Moorage
import MoorageUI

extension SiteLine {
    /// The site and its notes, a line each.
    var text: String {
        let lines = notes.map { line in
            "  \(line.id.description.prefix(8))  \(line.note.text)\(line.rowState.mark)"
        }
        return ([site.name + rowState.mark] + lines).joined(separator: "\n")
    }
}

extension OverruledChange {
    /// The conflict with both sides of each column.
    var text: String {
        let lines = fields.map { field in
            "   \(field.column): mine \(field.mine?.displayText ?? "–"), "
                + "theirs \(field.theirs?.displayText ?? "–")"
        }
        return (["\(id)  \(table) \(key.displayText)"] + lines).joined(separator: "\n")
    }
}

extension RowState? {
    /// Nothing for a row that is synced.
    fileprivate var mark: String {
        switch self {
        case nil, .synced: ""
        case .pending, .inFlight: "  (not sent)"
        case .refused(let code): "  (refused: \(code.rawValue))"
        case .overruled: "  (conflict)"
        case .deferred, .withheld: "  (the hub has a newer one)"
        }
    }
}
