import MoorageCore

extension [ScopePath] {
    /// The paths as one text, equal for equal paths. It is stored with an attached table, to see
    /// whether the configuration still says the same.
    var text: String {
        var writer = JSONWriter()
        writer.array { array in
            for path in self { path.write(to: &array) }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension ScopePath {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { path in
            path.name("levels")
            path.array { levels in
                for level in self.levels { level.write(to: &levels) }
            }
            switch source {
            case .everyone: break
            case .column(let kind, let column, let type):
                path.name("kind")
                path.string(kind)
                path.name("column")
                path.string(column)
                path.name("type")
                path.string(type.name)
            case .members(let members):
                path.name("kind")
                path.string(members.kind)
                path.name("members")
                path.string(members.table)
                path.name("column")
                path.string(members.column)
                path.name("type")
                path.string(members.type.name)
                members.link.write(to: &path)
            }
        }
    }
}

extension ScopePath.Level {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { level in
            level.name("table")
            level.string(table)
            link?.write(to: &level)
            if !conditions.isEmpty {
                level.name("where")
                level.array { array in
                    for condition in self.conditions {
                        array.array {
                            $0.string(condition.column)
                            $0.string(condition.type.name)
                            $0.string(condition.value)
                        }
                    }
                }
            }
            if !filters.isEmpty {
                level.name("filters")
                level.array { array in
                    for filter in self.filters { filter.write(to: &array) }
                }
            }
        }
    }
}

extension ScopePath.Filter {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { filter in
            filter.name("text")
            filter.string(formula.text)
            filter.name("columns")
            filter.array { columns in
                for column in self.columns {
                    columns.array {
                        $0.string(column.name)
                        $0.string(column.type.name)
                    }
                }
            }
        }
    }
}

extension ScopePath.Link {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.name("columns")
        writer.array { for column in columns { $0.string(column) } }
        writer.name("referenced")
        writer.array { for column in referenced { $0.string(column) } }
    }
}

// MARK: Reading

extension [ScopePath] {
    /// The paths of a ``text``; `nil` for anything else.
    init?(text: String) {
        guard case .array(let items)? = try? JSON(parsing: text) else { return nil }
        let paths = items.compactMap { ScopePath($0) }
        guard paths.count == items.count else { return nil }
        self = paths
    }
}

extension ScopePath {
    fileprivate init?(_ json: JSON) {
        guard case .array(let items)? = json["levels"] else { return nil }
        let levels = items.compactMap { Level($0) }
        guard !levels.isEmpty, levels.count == items.count else { return nil }
        let type = json["type"]?.text.flatMap { ColumnType(name: $0) }
        switch (json["kind"]?.text, json["column"]?.text, type, json["members"]?.text) {
        case (nil, nil, nil, nil): self.init(levels: levels, source: .everyone)
        case (let kind?, let column?, let type?, nil):
            self.init(levels: levels, source: .column(kind: kind, column, type))
        case (let kind?, let column?, let type?, let table?):
            guard let link = Link(json) else { return nil }
            self.init(
                levels: levels,
                source: .members(
                    Members(table: table, link: link, kind: kind, column: column, type: type)))
        default: return nil
        }
    }
}

extension ScopePath.Level {
    fileprivate init?(_ json: JSON) {
        guard let table = json["table"]?.text else { return nil }
        var conditions: [ScopePath.Condition] = []
        if case .array(let items)? = json["where"] {
            conditions = items.compactMap { item in
                guard let parts = item.texts, parts.count == 3,
                    let type = ColumnType(name: parts[1])
                else { return nil }
                return ScopePath.Condition(column: parts[0], type: type, value: parts[2])
            }
            guard conditions.count == items.count else { return nil }
        }
        var filters: [ScopePath.Filter] = []
        if case .array(let items)? = json["filters"] {
            filters = items.compactMap { ScopePath.Filter($0) }
            guard filters.count == items.count else { return nil }
        }
        self.init(
            table: table, conditions: conditions, filters: filters, link: ScopePath.Link(json))
    }
}

extension ScopePath.Filter {
    fileprivate init?(_ json: JSON) {
        guard let text = json["text"]?.text, let filter = try? RowFilter(text),
            filter.parameter == nil, let formula = filter.formula,
            case .array(let items)? = json["columns"]
        else { return nil }
        let columns = items.compactMap { item -> Column? in
            guard let parts = item.texts, parts.count == 2, let type = ColumnType(name: parts[1])
            else { return nil }
            return Column(name: parts[0], type: type)
        }
        guard columns.count == items.count else { return nil }
        self.init(formula: formula, columns: columns)
    }
}

extension ScopePath.Link {
    fileprivate init?(_ json: JSON) {
        guard let columns = json["columns"]?.texts, let referenced = json["referenced"]?.texts,
            columns.count == referenced.count
        else { return nil }
        self.init(columns: columns, referenced: referenced)
    }
}

extension JSON {
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }

    fileprivate var texts: [String]? {
        guard case .array(let items) = self else { return nil }
        let texts = items.compactMap(\.text)
        return texts.count == items.count ? texts : nil
    }
}
