import MoorageCore
import SQLiteSupport

/// How the local table stores the values of one column. Its affinity decides the stored form, the
/// portable type decides the meaning (docs/reference/client.md, How a device stores values).
struct ColumnForm: Hashable, Sendable {
    let type: ColumnType
    let column: LocalColumn
    let isStrict: Bool
    var uuidForm = UUIDForm.lower

    /// A stored value in portable form.
    func portable(_ value: Value) -> Value {
        switch (type, value) {
        case (.decimal, .integer), (.decimal, .real), (.uuid, .blob), (.boolean, _),
            (.real, .integer), (.integer, .real):
            return type.normalized(value)
        case (.uuid, .text) where uuidForm == .upper: return type.normalized(value)
        case (.json, .integer(let number)): return .text(String(number))
        case (.json, .real(let number)) where number.isFinite: return .text(number.description)
        default: return value
        }
    }

    /// A received value as the local column stores it; `nil` if the column would change it.
    func local(_ value: Value) -> Value? {
        switch (type, value) {
        case (_, .null): return value
        // SQLite stores NaN as NULL.
        case (_, .real(let number)) where number.isNaN: return nil
        case (.uuid, .text(let text)):
            if isBlob { return UUIDText.bytes(text).map(Value.blob) ?? value }
            return usesUUIDForm && uuidForm != .lower ? uuidForm.stored(value) : value
        case (.decimal, .text(let text)): return storesNumbers ? number(text) : value
        case (.json, .text(let text)) where storesNumbers:
            guard let number = Double(text) else { return value }
            return type.equal(value, .text(number.description)) ? value : nil
        default: return value
        }
    }

    /// Whether every value but NaN is stored as it arrived.
    var storesAsIs: Bool {
        switch type {
        case .uuid: !isBlob && (uuidForm == .lower || !usesUUIDForm)
        case .decimal, .json: !storesNumbers
        default: true
        }
    }

    /// The number that a decimal becomes; `nil` if the decimal would not be the same again.
    private func number(_ text: String) -> Value? {
        let value = Value.text(text)
        if let integer = Int64(text) {
            guard column.affinity == .real else { return .integer(integer) }
            let real = Double(integer)
            return type.equal(value, .real(real)) ? .real(real) : nil
        }
        guard let real = Double(text), real.isFinite, type.equal(value, .real(real)) else {
            return nil
        }
        return .real(real)
    }

    /// Whether the column stores UUIDs as the app writes its own. A STRICT column of text takes no
    /// bytes.
    var usesUUIDForm: Bool { type == .uuid && !isBlob && !(isStrict && uuidForm == .bytes) }

    private var isBlob: Bool { column.declaredType.uppercased().contains("BLOB") }
    private var storesNumbers: Bool { [.integer, .real, .numeric].contains(column.affinity) }

    /// The type that a key column must declare instead; `nil` if it can store the keys. An `INTEGER
    /// PRIMARY KEY` takes only integers.
    var keyMismatch: String? {
        guard column.affinity == .integer else { return nil }
        switch type {
        case .integer, .boolean, .real, .decimal: return nil
        case .blob: return "BLOB"
        case .text, .uuid, .date, .time, .timestamp, .instant, .json: return "TEXT"
        }
    }

    /// The type to declare, if the local column cannot store values of the portable type; `nil` if
    /// it can.
    var mismatch: String? {
        let affinity = column.affinity
        let strictAny = isStrict && column.declaredType.uppercased() == "ANY"
        func needs(_ allowed: Bool, _ declare: String) -> String? { allowed ? nil : declare }
        switch type {
        case .integer: return needs([.integer, .numeric, .blob].contains(affinity), "INTEGER")
        case .boolean: return needs([.integer, .numeric, .blob].contains(affinity), "INTEGER")
        case .real: return needs(affinity != .text, "REAL")
        case .decimal:
            return needs(!isStrict || strictAny || affinity == .text || affinity == .real, "TEXT")
        case .text: return needs(affinity == .text || affinity == .blob, "TEXT")
        case .uuid:
            return needs(!isStrict || strictAny || [.text, .blob].contains(affinity), "TEXT")
        case .date, .time, .timestamp, .instant, .json:
            return needs(!isStrict || strictAny || affinity == .text, "TEXT")
        case .blob: return needs(!isStrict || affinity == .blob, "BLOB")
        }
    }
}
