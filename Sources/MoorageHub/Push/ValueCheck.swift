import MoorageCore
import MoorageWire

/// Whether the hub accepts values for columns, whatever its database would accept.
struct ValueCheck {
    let limits: HubLimits

    /// Checks values that a change writes. Columns that the database computes do not count.
    ///
    /// - Parameter values: Positions of columns, with values.
    func refusal(of values: [(Int, Value)], _ table: TableDescription) -> Refusal? {
        for (column, value) in values where !table.columns[column].isGenerated {
            if let refusal = refusal(of: value, in: column, table) { return refusal }
        }
        return nil
    }

    func refusal(of value: Value, in column: Int, _ table: TableDescription) -> Refusal? {
        let description = table.columns[column]
        let name = "\(table.name).\(description.name)"
        if value.byteCount > limits.maximumValueBytes + 4 {
            return Refusal.valueTooLarge(in: name, most: limits.maximumValueBytes)
        }
        if case .real(let number) = value, !number.isFinite {
            return Refusal.notFinite(name)
        }
        guard description.type.accepts(value) else {
            let type = description.type.name
            // A date that does not exist is a text, too.
            if case .text = value { return Refusal.textOfOtherForm(in: name, type) }
            return Refusal.wrongType(of: name, type, not: value.kindName)
        }
        return nil
    }
}
