public import Moorage
public import Observation

/// A form in which a person decides about the columns of a conflict one by one.
@MainActor @Observable
public final class ConflictEdit: Identifiable {
    /// The conflict.
    public let conflict: OverruledChange
    /// The columns, with what the person entered. They begin with the values of the row after the
    /// merge.
    public var fields: [EditedField]

    /// A form for a conflict.
    public init(_ conflict: OverruledChange) {
        self.conflict = conflict
        fields = conflict.fields.map { EditedField($0) }
    }

    /// What to write: the columns that the person changed. `nil` while a text is no value of its
    /// column.
    public var values: [String: Value]? {
        var values: [String: Value] = [:]
        for field in fields {
            guard let value = field.value else { return nil }
            if value != field.start { values[field.column] = value }
        }
        return values
    }

    /// Takes one side's value into a column. Nothing happens if the side has none.
    ///
    /// - Parameters:
    ///   - value: A value of the field, such as ``ConflictField/mine``.
    ///   - field: A column of the form.
    public func take(_ value: Value?, for field: EditedField) {
        guard let value, let place = fields.firstIndex(where: { $0.id == field.id }) else { return }
        fields[place].take(value)
    }
}

/// A column of a ``ConflictEdit``.
public struct EditedField: Hashable, Sendable, Identifiable {
    /// The column, with the values of both sides.
    public let sides: ConflictField
    /// What the person entered. It counts while ``isNull`` is false.
    public var text: String {
        didSet { if text != oldValue { taken = nil } }
    }
    /// Whether the column is to have no value.
    public var isNull: Bool
    /// The value as it was taken from one side, until a person changes the text.
    private var taken: Value?
    let start: Value
    private let kind: Kind

    private enum Kind { case integer, real, text, blob }

    init(_ sides: ConflictField) {
        self.sides = sides
        let values = [sides.result, sides.theirs, sides.mine, sides.base].compactMap { $0 }
        start = values.first ?? .null
        // The table's type is not known here: the values tell it.
        let kinds = values.lazy.compactMap { value -> Kind? in
            switch value {
            case .null: nil
            case .integer: .integer
            case .real: .real
            case .text: .text
            case .blob: .blob
            }
        }
        kind = kinds.first ?? .text
        text = ""
        isNull = true
        take(start)
    }

    /// The column's name at the hub.
    public var column: String { sides.column }
    /// The column's name.
    public var id: String { sides.column }
    /// Whether a person can type the value. Bytes can only be taken from one side.
    public var isTyped: Bool { kind != .blob }

    /// The value; `nil` if the text is no value of the column.
    public var value: Value? {
        if isNull { return .null }
        if let taken { return taken }
        switch kind {
        case .integer: return Int64(text).map { .integer($0) }
        case .real: return Double(text).flatMap { $0.isFinite ? .real($0) : nil }
        case .text: return .text(text)
        case .blob: return nil
        }
    }

    mutating func take(_ value: Value) {
        isNull = value == .null
        text = value.displayText ?? ""
        taken = value == .null ? nil : value
    }
}
