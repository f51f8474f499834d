#if Server
    /// Lines in columns, each as wide as its longest cell.
    package struct TextTable {
        private var rows: [[String]] = []

        package init() {}

        package mutating func add(_ cells: String...) { add(cells: cells) }

        package mutating func add(cells: [String]) { rows.append(cells.map(Self.shown)) }

        /// The text with control characters shown as numbers: text from outside may contain
        /// commands for the terminal.
        package static func shown(_ text: String) -> String {
            text.unicodeScalars.map { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
                    "\\u{\(String(scalar.value, radix: 16))}"
                default: String(scalar)
                }
            }.joined()
        }

        package var text: String {
            let count = rows.map(\.count).max() ?? 0
            let widths = (0..<count).map { column in
                rows.compactMap { $0.count > column ? $0[column].count : nil }.max() ?? 0
            }
            return rows.map { row in
                var line = ""
                for (column, cell) in row.enumerated() {
                    line += cell
                    guard column < row.count - 1 else { continue }
                    line += String(repeating: " ", count: widths[column] - cell.count + 2)
                }
                return line
            }.joined(separator: "\n")
        }
    }
#endif
