#if Server
    import Foundation
    import Moorage
    import MoorageConfiguration
    import MoorageCore
    import MoorageWire

    /// What `inspect --json` prints: one object a line.
    enum InspectLines {
        /// One object for each local change of a table.
        static func changes(_ waiting: [ReplicaInspection.Waiting]) -> [String] {
            waiting.map { one in
                JSONWriter.line("pending") { object in
                    object.member("table", one.change.table)
                    object.member("key", document: one.change.key.values.jsonText())
                    object.member("kind", one.change.kind.rawValue)
                    object.member("editedAt", ReplicaReport.milliseconds(one.change.editedAt))
                    write(one.reasons, to: &object)
                }
            }
        }

        static func row(_ row: ReplicaInspection.Row, of table: String) -> String {
            JSONWriter.line("row") { object in
                object.member("table", table)
                object.member("key", document: row.key.values.jsonText())
                object.member("state", row.state.rawValue)
                object.name("isHere")
                if let isHere = row.isHere { object.bool(isHere) } else { object.null() }
                write(row.reasons, to: &object)
                object.name("refused")
                object.array { codes in row.refused.forEach { codes.string($0.code.rawValue) } }
                object.member("overruled", Int64(row.overruled.count))
                object.name("withheld")
                object.array { columns in row.withheld.forEach { columns.string($0.column) } }
                object.name("isDeferred")
                object.bool(row.isDeferred)
            }
        }

        private static func write(_ reasons: [PendingReason], to object: inout JSONWriter) {
            object.name("reasons")
            object.array { array in reasons.forEach { ReasonWords.write($0, to: &array) } }
        }
    }
#endif
