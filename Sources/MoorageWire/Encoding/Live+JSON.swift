import MoorageCore

extension LiveTerms {
    func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("heartbeat")
            $0.integer(heartbeat.wireMilliseconds)
        }
    }

    init(_ reading: JSONReading) throws(HubError) {
        try reading.only("heartbeat")
        self.init(heartbeat: try reading.member("heartbeat").duration())
    }
}

extension Alive {
    func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("time")
            $0.integer(time)
        }
    }

    init(_ reading: JSONReading) throws(HubError) {
        try reading.only("time")
        self.init(time: try reading.member("time").int64())
    }
}

extension End {
    func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("more")
            $0.bool(hasMore)
            guard let wait else { return }
            $0.name("wait")
            $0.integer(wait.wireMilliseconds)
        }
    }

    init(_ reading: JSONReading) throws(HubError) {
        try reading.only("more", "wait")
        self.init(
            hasMore: try reading.member("more").bool(),
            wait: try reading.optional("wait")?.duration())
    }
}

extension JSONReading {
    /// Milliseconds, more than 0 and no more than a day.
    fileprivate func duration() throws(HubError) -> Duration {
        let milliseconds = try count()
        guard (1...86_400_000).contains(milliseconds) else {
            throw error("milliseconds, from 1 to those of a day, are missing")
        }
        return .milliseconds(milliseconds)
    }
}

extension Duration {
    /// As a duration travels: whole milliseconds, at least one, at most those of a day.
    fileprivate var wireMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds < 86_400 else { return 86_400_000 }
        return max(1, seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}
