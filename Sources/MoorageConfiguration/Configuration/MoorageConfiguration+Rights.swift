#if Server
    import MoorageHub

    /// What `moorage.yaml` says of rights: under `rights`, by role, `all`, `read`, or
    /// `{may: [insert, update], columns: [note]}`.
    extension MoorageConfiguration {
        static func readRights(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> [String: TableRights] {
            var rights: [String: TableRights] = [:]
            for (role, value) in try reading.named() {
                guard !role.contains("${") else {
                    throw value.failure("A role's name is not filled from the environment.")
                }
                rights[role] = try readRole(value)
            }
            // Rights add up: what everyone has, no role can be without.
            let isOpen = rights[RightSettings.everyone].map { $0 != .none } ?? false
            if isOpen, let role = rights.first(where: { $0.value == .none })?.key {
                throw reading.failure(
                    "`\(role)` cannot have less than everyone (`*`) has.",
                    next: "Take `*` out, and name the roles that may.")
            }
            return rights
        }

        private static func readRole(_ reading: YAMLReading) throws(CommandFailure) -> TableRights {
            if reading.isScalar {
                switch try reading.text() {
                case "all": return .all
                case "read": return TableRights()
                case "none": return .none
                default:
                    throw reading.failure(
                        "These are no rights.",
                        next:
                            "Write `all`, `read`, `none`, or `{may: [insert, update], columns: [note]}`."
                    )
                }
            }
            let members = try reading.members(["may", "columns"])
            guard let may = members["may"] else {
                throw reading.failure(
                    "It does not say what the role may do.",
                    next: "Write `{may: [insert, update, delete]}`.")
            }
            let words = try may.elements()
            guard !words.isEmpty else {
                throw may.failure("There is no right here.", next: "Write `none`, or `read`.")
            }
            // Whoever may write may read: an answer to a change tells of rows.
            var rights = TableRights()
            for word in words {
                switch try word.text() {
                case "read": break
                case "insert": rights.insert = true
                case "update": rights.update = true
                case "delete": rights.delete = true
                case "move": rights.move = true
                default:
                    throw word.failure(
                        "There is no such right.",
                        next: "Rights are: read, insert, update, delete, move.")
                }
            }
            if let columns = members["columns"] { rights.columns = Set(try columns.texts()) }
            return rights
        }
    }
#endif
