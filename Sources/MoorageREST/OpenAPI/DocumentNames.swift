/// Names of operations and components, made of names of tables. A table's name may have any
/// character; these have ASCII letters and digits alone.
struct DocumentNames {
    /// What follows a table's name in the names of its components.
    enum Component: String, CaseIterable {
        /// A whole row.
        case row = ""
        /// A row with some of its columns.
        case part = "Part"
        case page = "Page"
        case insert = "Insert"
        case replace = "Replace"
        case update = "Update"
        case mergePatch = "MergePatch"
        /// What became of the rows of a request.
        case results = "Results"
        /// A write of a batch.
        case operation = "Operation"
        /// What became of a row.
        case change = "Change"
        /// The rows of a client that tracks nothing.
        case manifest = "Manifest"
        /// A new row of a client that tracks nothing, with the rows that are linked to it.
        case add = "Add"
        /// What such a client changes in a row and in those that are linked to it.
        case edit = "Edit"
        /// What it changes in a row that is linked to such a one.
        case linked = "Linked"
        /// What such a client asks for rows.
        case edits = "Edits"
        /// What became of that.
        case edited = "Edited"
    }

    /// In lower case: programs write components into files, and some file systems know no case.
    private var taken: Set<String>

    /// - Parameter reserved: Names of components that belong to no table.
    init(reserved: [String]) { taken = Set(reserved.map { $0.lowercased() }) }

    /// The name for a table. Of two tables with one name, the second gets a number.
    mutating func name(for table: String) -> String {
        let plain = Self.plainName(of: table)
        var name = plain
        var number = 1
        while !isFree(name) {
            number += 1
            name = "\(plain)\(number)"
        }
        for component in Component.allCases { taken.insert(Self.key(name, component)) }
        return name
    }

    private func isFree(_ name: String) -> Bool {
        Component.allCases.allSatisfy { !taken.contains(Self.key(name, $0)) }
    }

    private static func key(_ name: String, _ component: Component) -> String {
        (name + component.rawValue).lowercased()
    }

    /// `order_details` becomes `OrderDetails`. A character beyond ASCII becomes its number.
    private static func plainName(of table: String) -> String {
        var name = ""
        var isStart = true
        for scalar in table.unicodeScalars {
            switch scalar {
            case "a"..."z":
                name += isStart ? String(scalar).uppercased() : String(scalar)
                isStart = false
            case "A"..."Z", "0"..."9":
                name.unicodeScalars.append(scalar)
                isStart = false
            case "\0"..."\u{7F}": isStart = true
            default:
                name += "U" + String(scalar.value, radix: 16, uppercase: true)
                isStart = true
            }
        }
        let beginsWithLetter = name.utf8.first.map { $0 >= UInt8(ascii: "A") } ?? false
        return beginsWithLetter ? name : "Table" + name
    }
}
