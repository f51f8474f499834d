#if Server
    import MoorageConfiguration
    import MoorageCore
    import MoorageTesting

    /// Makes rows of a table from its columns' types only.
    ///
    /// Numbers are small and texts are short, because a portable type does not say how much its
    /// column can store. Nullable references stay NULL. Generated columns are left out.
    struct SyntheticValues: Sendable {
        /// How much of a row is made up.
        enum Extent: Hashable, Sendable {
            case everything
            /// Columns with a literal default have it, and other nullable columns are NULL. This is
            /// for columns with rules that their types do not show.
            case whatMustBe
        }

        private enum Filling: Hashable, Sendable {
            case constant(Value)
            /// Different in every row.
            case distinct
            case any
        }

        /// The table without its generated columns.
        let table: TableDescription
        private let fillings: [Filling]

        /// Columns that an update may write.
        var editable: [Int] {
            fillings.indices.filter { column in
                if table.isKey(column) { return false }
                if case .constant = fillings[column] { return false }
                return true
            }
        }

        /// The table with the columns that a device of the run stores: all that are not generated.
        ///
        /// - Throws: ``CommandFailure`` when its key is generated.
        static func held(_ table: TableDescription) throws(CommandFailure) -> TableDescription {
            let names = table.columns.filter { !$0.isGenerated }.map(\.name)
            guard let held = table.restricted(to: names) else {
                throw CommandFailure.generatedKey(of: table.name)
            }
            return held
        }

        /// - Throws: ``CommandFailure`` when no row can be made up, with the column and the reason.
        init(_ table: TableDescription, _ extent: Extent) throws(CommandFailure) {
            let table = try Self.held(table)
            self.table = table
            guard table.direction.acceptsChanges else {
                throw CommandFailure.rowsFromHubAlone(of: table.name)
            }
            var fillings = table.columns.indices.map { Self.filling($0, of: table, extent) }
            for foreign in table.foreignKeys {
                let free = foreign.columns.filter {
                    table.columns[$0].isNullable && !table.isKey($0)
                }
                guard !free.isEmpty else {
                    throw CommandFailure.neededReference(
                        of: table.name, columns: foreign.columns.map { table.columns[$0].name },
                        to: foreign.referencedTable)
                }
                for column in free { fillings[column] = .constant(.null) }
            }
            for unique in [table.primaryKey] + table.uniqueKeys {
                let isKey = unique == table.primaryKey
                if !isKey, unique.contains(where: { fillings[$0] == .constant(.null) }) {
                    continue
                }
                let distinct = unique.filter { Self.isDistinct(table.columns[$0].type) }
                guard !distinct.isEmpty else {
                    let columns = unique.map {
                        "\(table.columns[$0].name) (\(table.columns[$0].type.name))"
                    }
                    throw CommandFailure.noDistinctValues(
                        of: table.name, key: columns, isPrimary: isKey)
                }
                for column in distinct { fillings[column] = .distinct }
            }
            self.fillings = fillings
        }

        /// - Throws: ``CommandFailure`` when the mix has updates and no column can take them.
        func check(_ mix: ChangeMix) throws(CommandFailure) {
            guard mix.updates > 0, editable.isEmpty else { return }
            throw CommandFailure.nothingToUpdate(in: table.name)
        }

        private static func filling(
            _ column: Int, of table: TableDescription, _ extent: Extent
        ) -> Filling {
            let description = table.columns[column]
            guard extent == .whatMustBe, !table.isKey(column) else { return .any }
            if case .value(let value) = description.defaultValue { return .constant(value) }
            return description.isNullable ? .constant(.null) : .any
        }

        private static func isDistinct(_ type: ColumnType) -> Bool {
            switch type {
            case .integer, .decimal, .text, .uuid, .blob: true
            case .boolean, .real, .date, .time, .timestamp, .instant, .json: false
            }
        }

        /// A whole row.
        ///
        /// - Parameters:
        ///   - key: The key that the hub handed out; `nil` when it hands out no keys.
        ///   - number: Above 0, and different for each value of a run.
        func row(
            key: Int64?, number: Int64, using random: inout SeededGenerator
        ) -> [Value] {
            var row = table.columns.indices.map { value(of: $0, number: number, using: &random) }
            if let key, table.primaryKey.count == 1 { row[table.primaryKey[0]] = .integer(key) }
            return row
        }

        /// A new value for one column of an existing row.
        func value(
            of column: Int, number: Int64, using random: inout SeededGenerator
        ) -> Value {
            let type = table.columns[column].type
            switch fillings[column] {
            case .constant(let value): return value
            case .distinct: return Self.distinct(type, number)
            case .any: return Self.any(type, using: &random)
            }
        }

        /// Does not use the seed, because rows of an earlier run may still exist.
        private static func distinct(_ type: ColumnType, _ number: Int64) -> Value {
            var system = SystemRandomNumberGenerator()
            switch type {
            case .integer: return .integer(number)
            case .decimal: return .text(String(number))
            case .uuid: return .text(UUIDText.random(using: &system))
            case .blob: return .blob(blob(16, using: &system))
            default: return .text(text(16, using: &system))
            }
        }

        private static func any(
            _ type: ColumnType, using random: inout SeededGenerator
        ) -> Value {
            switch type {
            case .integer: return .integer(.random(in: 0...9_999, using: &random))
            case .boolean: return .integer(.random(in: 0...1, using: &random))
            // Also exact as a 32-bit number.
            case .real: return .real(Double(Int.random(in: 0...4_000, using: &random)) / 4)
            case .decimal:
                let cents = Int.random(in: 0...999, using: &random)
                return .text("\(cents / 100).\(digits(cents % 100))")
            case .text: return .text(text(10, using: &random))
            case .blob: return .blob(blob(16, using: &random))
            case .uuid: return .text(UUIDText.random(using: &random))
            case .date: return .text(date(using: &random))
            case .time: return .text(time(using: &random))
            case .timestamp, .instant:
                return .text(date(using: &random) + " " + time(using: &random))
            case .json: return .text("{\"n\":\(Int.random(in: 0...9_999, using: &random))}")
            }
        }

        private static let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

        private static func text(
            _ count: Int, using random: inout some RandomNumberGenerator
        ) -> String {
            let bytes = (0..<count).map { _ in
                letters[Int.random(in: letters.indices, using: &random)]
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        private static func blob(
            _ count: Int, using random: inout some RandomNumberGenerator
        ) -> [UInt8] {
            (0..<count).map { _ in .random(in: 0...255, using: &random) }
        }

        private static func date(using random: inout SeededGenerator) -> String {
            let year = Int.random(in: 2_000...2_029, using: &random)
            let month = Int.random(in: 1...12, using: &random)
            return "\(year)-\(digits(month))-\(digits(.random(in: 1...28, using: &random)))"
        }

        private static func time(using random: inout SeededGenerator) -> String {
            [23, 59, 59].map { digits(.random(in: 0...$0, using: &random)) }
                .joined(separator: ":")
        }

        private static func digits(_ number: Int) -> String {
            number < 10 ? "0\(number)" : "\(number)"
        }
    }
#endif
