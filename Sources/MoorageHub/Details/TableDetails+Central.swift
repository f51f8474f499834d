import MoorageCore
import MoorageWire

extension TableDetails {
    /// What everyone who signs in may know of a table: nothing of columns that its description
    /// leaves out.
    ///
    /// - Parameters:
    ///   - table: The table as the schema answer lists it.
    ///   - central: What its database says; `nil` where that is not known.
    init(of table: TableDescription, as central: CentralTableDetails?, settings: ColumnSettings) {
        let central = central ?? CentralTableDetails(name: table.name)
        let unlisted = UnlistedColumns(
            of: table, among: central.columns.map(\.name) + Array(settings.hidden))
        let checks = central.checks.filter { !unlisted.mayBeNamed(in: $0) }
        let labels = table.labels(from: checks)
        var columns: [Int: ColumnDetails] = [:]
        for (position, column) in table.columns.enumerated() {
            let found = central.columns.first { $0.name.hasSameBytes(as: column.name) }
            columns[position] = ColumnDetails(
                original: found.flatMap { Self.told($0.type) },
                comment: found.flatMap { Self.told($0.comment) },
                labels: Self.told(labels: found?.labels ?? []) ?? labels[position] ?? [],
                isFile: settings.files.contains { $0.hasSameBytes(as: column.name) })
        }
        self.init(
            comment: Self.told(central.comment),
            checks: Array(checks.compactMap { Self.told($0) }.prefix(Self.maximumChecks)),
            indexes: Array(
                central.indexes.compactMap(table.positions(ofIndex:)).prefix(Self.maximumIndexes)),
            columns: columns)
    }

    /// `nil` for a text that is empty, or too long to be told.
    private static func told(_ text: String) -> String? {
        text.isEmpty || text.utf8.count > maximumTextBytes ? nil : text
    }

    /// `nil` without labels, and for labels that are too many or too long to be told.
    fileprivate static func told(labels: [String]) -> [String]? {
        let isShort = labels.allSatisfy { $0.utf8.count <= maximumTextBytes }
        return labels.isEmpty || labels.count > ColumnDetails.maximumLabels || !isShort
            ? nil : labels
    }
}

extension TableDescription {
    /// The columns of an index; `nil` where the table lacks one, or has one twice.
    fileprivate func positions(ofIndex names: [String]) -> [Int]? {
        let positions = names.compactMap { column(named: $0) }
        let isWhole = !names.isEmpty && positions.count == names.count
        return isWhole && Set(positions).count == positions.count ? positions : nil
    }

    /// The labels that checks allow text columns, by position. The first check of a column counts.
    fileprivate func labels(from checks: [String]) -> [Int: [String]] {
        var result: [Int: [String]] = [:]
        for check in checks.lazy.compactMap(CheckLabels.init) {
            guard let position = column(spelled: check.column), columns[position].type == .text,
                result[position] == nil, let labels = TableDetails.told(labels: check.labels)
            else { continue }
            result[position] = labels
        }
        return result
    }

    /// A column by its name in SQL without quotes, which may be in another case.
    private func column(spelled name: String) -> Int? {
        if let exact = column(named: name) { return exact }
        let folded = name.lowercased()
        return columns.firstIndex { $0.name.lowercased().hasSameBytes(as: folded) }
    }
}
