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
        if Self.folded(name).starts(with: "sqlite_".utf8) {
            return SuspensionReason.reservedName(of: name)
        }
        var seen: [[UInt8]: String] = [:]
        for column in columns {
            if let other = seen.updateValue(column.name, forKey: Self.folded(column.name)) {
                return SuspensionReason.alikeColumns(other, column.name, of: name)
            }
        }
        return nil
    }

    /// SQLite ignores the case of ASCII letters in names.
    private static func folded(_ name: String) -> [UInt8] {
        name.utf8.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
    }
}
