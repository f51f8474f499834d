#if Server
    import MoorageConfiguration
    import MoorageCore
    import MoorageHub

    /// What the commands say of a person, as JSON.
    enum PersonReport {
        static func lines(_ data: PersonalData) -> [String] {
            data.replicas.map(json)
                + data.scopes.map { scope in
                    JSONWriter.line("scope") { $0.member("scope", scope) }
                }
                + data.conflicts.map { #"{"conflict":"# + ConflictReport.json($0) + "}" }
                + data.audit.map { #"{"audit":"# + json($0) + "}" }
        }

        static func json(_ record: AuditRecord) -> String {
            var writer = JSONWriter()
            writer.object {
                $0.member("id", record.id)
                $0.member("at", record.at)
                $0.member("subject", record.subject)
                $0.member("replica", record.replica)
                $0.member("batch", record.batch)
                $0.member("table", record.table)
                $0.member("key", document: record.key)
                $0.member("operation", record.operation)
                $0.member("columns", document: record.columns)
                $0.member("outcome", record.outcome)
            }
            return String(decoding: writer.bytes, as: UTF8.self)
        }

        private static func json(_ replica: ReplicaSummary) -> String {
            JSONWriter.line("replica") { replica.writeMembers(to: &$0) }
        }
    }
#endif
