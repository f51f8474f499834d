import MoorageCore

extension [ScopePath] {
    /// The paths as one text, equal for equal paths: kept with an attached table, to see whether the
    /// configuration still says the same.
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
            guard !conditions.isEmpty else { return }
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
