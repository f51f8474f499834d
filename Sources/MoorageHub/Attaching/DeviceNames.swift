import MoorageCore

extension CentralTable {
    /// What the connector reports, unless a device's SQLite cannot have such a table.
    var supportOnDevices: Support {
        guard case .supported(let table) = support, let problem = table.nameProblem else {
            return support
        }
        return .unsupported(problem)
    }
}

extension TableDescription {
    /// Why SQLite cannot have the table's names: it reserves one, or takes two for the same.
    fileprivate var nameProblem: String? {
        if name.isReservedInSQLite {
            return SuspensionReason.reservedName(of: name)
        }
        var seen: [[UInt8]: String] = [:]
        for column in columns {
            if let other = seen.updateValue(column.name, forKey: column.name.foldedOnDevices) {
                return SuspensionReason.alikeColumns(other, column.name, of: name)
            }
        }
        return nil
    }
}

extension String {
    /// Equal for names that are one to SQLite, which ignores the case of ASCII letters.
    var foldedOnDevices: [UInt8] {
        utf8.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
    }

    fileprivate var isReservedInSQLite: Bool { foldedOnDevices.starts(with: "sqlite_".utf8) }

    /// Whether SQLite or the replica uses such names for tables of its own.
    var isReservedOnDevices: Bool {
        isReservedInSQLite || foldedOnDevices.starts(with: "_moorage_".utf8)
    }
}
