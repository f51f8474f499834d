import MoorageCore
import MoorageSupport

extension LiveTerms {
    func write(to writer: inout JSONWriter) {
        writer.object("heartbeat", heartbeat.wireMilliseconds)
    }

    init(_ reading: JSONReading) throws(HubError) {
        self.init(heartbeat: try reading.member("heartbeat").duration())
    }
}

extension Alive {
    func write(to writer: inout JSONWriter) {
        writer.object("time", time.milliseconds)
    }

    init(_ reading: JSONReading) throws(HubError) {
        self.init(time: try reading.member("time").time())
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
        self.init(
            hasMore: try reading.member("more").bool(),
            wait: try reading.optional("wait")?.duration())
    }
}

extension JSONWriter {
    /// Writes an object with one number.
    fileprivate mutating func object(_ name: String, _ number: Int64) {
        object {
            $0.name(name)
            $0.integer(number)
        }
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
    /// A duration as it travels: whole milliseconds, from 1 to those of a day.
    fileprivate var wireMilliseconds: Int64 {
        min(max(1, milliseconds), 86_400_000)
    }
}
