import MoorageCore
import MoorageWire

/// The tables and columns that a replica asked for in the exchange with its last report.
///
/// The hub keeps them as a member of the stored report. It is in no message, and an older hub
/// ignores it.
struct ReportedTables: Hashable, Sendable {
    /// Bytes of JSON. A longer list is kept without columns.
    static let maximumBytes = 524_288
    private static let member = "requested"

    let names: Set<Identifier>
    /// By table; `nil` where the list was too long for columns.
    private let columns: [Identifier: Set<Identifier>]?

    /// Whether the replica asked for the table, and for the column, each by one of its names. A
    /// list without columns counts as one of all columns.
    func contains(_ table: [Identifier], _ column: [Identifier]?) -> Bool {
        columns == nil && table.contains(where: names.contains) || isNaming(table, column)
    }

    /// Whether the list itself names the table, and the column.
    func isNaming(_ table: [Identifier], _ column: [Identifier]?) -> Bool {
        guard let column else { return table.contains(where: names.contains) }
        return table.contains { name in
            columns?[name].map { column.contains(where: $0.contains) } ?? false
        }
    }

    // MARK: JSON

    /// `nil` where an older hub recorded the report, or where even the names were too long.
    init?(_ report: JSON) {
        guard let member = report[Self.member] else { return nil }
        guard case .object(let members) = member else {
            guard let names = Self.names(member) else { return nil }
            self.names = names
            self.columns = nil
            return
        }
        var columns: [Identifier: Set<Identifier>] = [:]
        for member in members {
            columns[Identifier(member.name)] = Self.names(member.value)
        }
        guard columns.count == members.count else { return nil }
        self.names = Set(columns.keys)
        self.columns = columns
    }

    private static func names(_ list: JSON) -> Set<Identifier>? {
        guard case .array(let elements) = list else { return nil }
        var names: Set<Identifier> = []
        for element in elements {
            guard case .string(let name) = element else { return nil }
            names.insert(Identifier(name))
        }
        return names
    }

    /// Writes the member of a report; nothing where even the names are too long.
    static func write(_ tables: [TableColumns], to writer: inout JSONWriter) {
        guard let document = document(tables) else { return }
        writer.name(member)
        writer.encoded(document)
    }

    private static func document(_ tables: [TableColumns]) -> [UInt8]? {
        let whole = JSONWriter.document {
            $0.object {
                for table in tables {
                    $0.name(table.name)
                    $0.array { for column in table.columns { $0.string(column) } }
                }
            }
        }
        if whole.count <= maximumBytes { return whole }
        let names = JSONWriter.document {
            $0.array { for table in tables { $0.string(table.name) } }
        }
        return names.count <= maximumBytes ? names : nil
    }
}

/// A report as the hub's tables have it.
struct StoredReport {
    let report: DeviceReport
    private let json: JSON

    init(_ text: String) throws {
        json = try JSON(parsing: text)
        report = try DeviceReport(json)
    }

    /// What the replica asked for then; `nil` where nobody recorded it.
    var tables: ReportedTables? { ReportedTables(json) }
}
