#if Server
    import MoorageConfiguration
    import MoorageCore
    import MoorageHub
    import MoorageWire

    /// What the commands say of a replica, as JSON.
    extension ReplicaSummary {
        /// All of it in one line.
        var json: String {
            var writer = JSONWriter()
            writer.object { writeMembers(to: &$0) }
            return String(decoding: writer.bytes, as: UTF8.self)
        }

        /// `report` is as the device sent it, or null.
        func writeMembers(to writer: inout JSONWriter) {
            writer.member("id", id)
            writer.member("subject", subject)
            writer.member("standing", standing.rawValue)
            writer.member("registeredAt", registeredAt)
            writer.member("seenAt", seenAt)
            writer.member("lastBatch", lastBatch)
            if let reportedAt { writer.member("reportedAt", reportedAt) }
            writer.member(
                "report", document: report.map { String(decoding: $0.encoded(), as: UTF8.self) })
        }
    }
#endif
