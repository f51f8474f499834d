import MoorageCore
import MoorageHub

/// How the rows of a client differ from the hub's, for one table.
struct ManifestAnswer: Sendable {
    enum Content: Sendable {
        case rows(Rows)
        case ranges([Range])
    }

    enum Range: Hashable, Sendable {
        case same
        /// - Parameter rows: How many the hub has.
        case differs(rows: Int)
        /// The request had read as much as it may.
        case unread
    }

    /// As the request calls the table.
    private let name: String
    private let table: TableDescription
    private let content: Content

    init(_ name: String, _ table: RowTable, _ content: Content) {
        self.name = name
        self.table = table.description
        self.content = content
    }

    /// Writes a member of an object.
    func write(to writer: inout JSONWriter) {
        writer.name(name)
        writer.object {
            switch content {
            case .rows(let rows): rows.write(of: table, to: &$0)
            case .ranges(let ranges):
                $0.name("ranges")
                $0.array { for range in ranges { range.write(to: &$0) } }
            }
        }
    }
}

extension ManifestAnswer {
    /// The sections of an answer while rows are read.
    struct Rows: Sendable {
        fileprivate struct Item: Sendable {
            let key: JSON
            /// The hub's version; `nil` where it has no row.
            let version: String?
        }

        private let table: ManifestTable
        /// The entries of each key.
        private let places: [RowKey: [Int]]
        /// For each entry the version of the row that the hub has.
        private var versions: [String?]
        private var sections: [ManifestSection?]
        private var missingThere: [Item] = []
        /// Where reading goes on; `nil` where all rows of the range were compared.
        var next: RowKey?

        init(_ table: ManifestTable) {
            self.table = table
            places = Dictionary(grouping: table.entries.indices) { table.entries[$0].key }
            versions = Array(repeating: nil, count: table.entries.count)
            sections = Array(repeating: nil, count: table.entries.count)
        }

        /// - Parameter isListed: Whether a row that the client does not name is missing there.
        mutating func compare(_ row: RowContent, isListed: Bool) {
            let key = table.table.description.key(of: row.values)
            guard let places = places[key] else {
                guard isListed else { return }
                let written = JSON(key, of: table.table.description)
                missingThere.append(Item(key: written, version: row.etag))
                return
            }
            for place in places {
                let entry = table.entries[place]
                versions[place] = row.etag
                sections[place] = entry.written.section(table.comparison(entry, with: row))
            }
        }

        /// The keys that no row had so far, each once, in the order of the request.
        var unmet: [RowKey] {
            table.entries.indices.filter { versions[$0] == nil && isFirst($0) }
                .map { table.entries[$0].key }
        }

        /// The keys among them that may be of rows which the hub never had.
        var doubtful: [RowKey] {
            var keys: Set<RowKey> = []
            for place in table.entries.indices where versions[place] == nil {
                let entry = table.entries[place]
                if !entry.written.isGoneInAnyCase { keys.insert(entry.key) }
            }
            return Array(keys)
        }

        private func isFirst(_ place: Int) -> Bool {
            places[table.entries[place].key]?.first == place
        }

        /// - Parameter gone: The keys of rows that the hub remembers.
        mutating func end(gone: Set<RowKey>) {
            for (place, entry) in table.entries.enumerated() where versions[place] == nil {
                sections[place] = entry.written.sectionWithoutRow(
                    wasHere: gone.contains(entry.key))
            }
        }

        // MARK: JSON

        func write(of description: TableDescription, to writer: inout JSONWriter) {
            for section in ManifestSection.allCases {
                writer.name(section.rawValue)
                writer.array { for item in items(in: section) { item.write(to: &$0) } }
            }
            writer.name("same")
            writer.integer(Int64(sections.count { $0 == nil }))
            writer.name("next")
            if let next { writer.json(JSON(next, of: description)) } else { writer.null() }
        }

        private func items(in section: ManifestSection) -> [Item] {
            if section == .missingThere { return missingThere }
            return table.entries.indices.filter { sections[$0] == section }
                .map { Item(key: table.entries[$0].written.key, version: versions[$0]) }
        }
    }
}

extension ManifestAnswer.Rows.Item {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("key")
            $0.json(key)
            guard let version else { return }
            $0.name("version")
            $0.string(version)
        }
    }
}

extension ManifestAnswer.Range {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("result")
            switch self {
            case .same: $0.string("same")
            case .unread: $0.string("unread")
            case .differs(let rows):
                $0.string("differs")
                $0.name("rows")
                $0.integer(Int64(rows))
            }
        }
    }
}
