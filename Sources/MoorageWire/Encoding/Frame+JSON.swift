import MoorageCore

extension Frame {
    /// The frame as one JSON document, without a line break: `{"<kind>": {…}}`.
    package func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            switch self {
            case .welcome(let welcome):
                $0.name("welcome")
                welcome.write(to: &$0)
            case .outcomes(let outcomes):
                $0.name("outcomes")
                outcomes.write(to: &$0)
            case .page(let page):
                $0.name("page")
                page.write(to: &$0)
            case .alive(let alive):
                $0.name("alive")
                alive.write(to: &$0)
            case .end(let end):
                $0.name("end")
                end.write(to: &$0)
            case .error(let error):
                $0.name("error")
                error.write(to: &$0)
            }
        }
        return writer.bytes
    }

    package init(decoding bytes: [UInt8]) throws(HubError) {
        let reading = try JSONReading(parsing: bytes)
        let members = try reading.object()
        guard members.count == 1, let member = members.first else {
            throw reading.error("exactly one kind of frame")
        }
        switch member.name {
        case "welcome": self = .welcome(try Welcome(member.value))
        case "outcomes": self = .outcomes(try Outcomes(member.value))
        case "page": self = .page(try Page(member.value))
        case "alive": self = .alive(try Alive(member.value))
        case "end": self = .end(try End(member.value))
        case "error": self = .error(try HubError(member.value))
        default: throw reading.error("a kind of frame that is not known")
        }
    }
}

extension HubError {
    /// The error as a document `{"code": …, "message": …, "retryAfter": seconds}`.
    public func encoded() -> [UInt8] {
        JSONWriter.document { write(to: &$0) }
    }

    /// Reads a document that ``encoded()`` wrote. A code that this version does not know is kept.
    ///
    /// - Throws: ``HubError`` `malformed` for any other document, `tooLarge` when reading it needs
    ///   too much memory.
    public init(decoding bytes: [UInt8]) throws(HubError) {
        try self.init(JSONReading(parsing: bytes))
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("code")
            $0.string(code.rawValue)
            $0.name("message")
            $0.string(message)
            if let retryAfter {
                $0.name("retryAfter")
                $0.integer(max(1, retryAfter.components.seconds))
            }
        }
    }

    fileprivate init(_ reading: JSONReading) throws(HubError) {
        self.init(
            Code(rawValue: try reading.member("code").string()),
            try reading.member("message").string(),
            retryAfter: try reading.optional("retryAfter").map { (member) throws(HubError) in
                .seconds(min(max(1, try member.count()), 86_400))
            })
    }
}

extension Welcome {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("hub")
            $0.string(hub)
            $0.name("epoch")
            $0.string(epoch.text)
            $0.name("time")
            $0.integer(time.milliseconds)
            $0.name("schema")
            $0.string(schemaVersion)
            if let schema {
                $0.name("tables")
                schema.write(to: &$0)
            }
            $0.flag("expired", isExpired)
            $0.name("suspended")
            $0.suspended(suspended)
            $0.name("limits")
            $0.object {
                $0.name("batchRows")
                $0.integer(Int64(limits.maximumBatchRows))
                $0.name("batchBytes")
                $0.integer(Int64(limits.maximumBatchBytes))
                $0.name("valueBytes")
                $0.integer(Int64(limits.maximumValueBytes))
            }
            $0.optional("user", user)
            if let live {
                $0.name("live")
                live.write(to: &$0)
            }
            if !keys.isEmpty {
                $0.name("keys")
                $0.array { for block in keys { block.write(to: &$0) } }
            }
            if let rights {
                $0.name("rights")
                rights.write(to: &$0)
            }
            if !unavailable.isEmpty {
                $0.name("unavailable")
                $0.strings(unavailable.map(\.name))
            }
            $0.optional("minimumClientVersion", minimumClientVersion)
            $0.optional("copiedAt", copiedAt?.milliseconds)
        }
    }

    fileprivate init(_ reading: JSONReading) throws(HubError) {
        let limits = try reading.member("limits")
        let schema: SchemaDescription? =
            if let member = reading.optional("tables") { try SchemaDescription(member) } else {
                nil
            }
        let live: LiveTerms? =
            if let member = reading.optional("live") { try LiveTerms(member) } else { nil }
        self.init(
            hub: try reading.member("hub").string(),
            epoch: Epoch(try reading.member("epoch").string()),
            time: try reading.member("time").time(),
            schemaVersion: try reading.member("schema").string(), schema: schema,
            isExpired: try reading.flag("expired"),
            suspended: try reading.member("suspended").suspended(),
            limits: HubLimits(
                maximumBatchRows: max(1, try limits.member("batchRows").count()),
                maximumBatchBytes: max(1, try limits.member("batchBytes").count()),
                maximumValueBytes: max(1, try limits.member("valueBytes").count())),
            keys: try reading.optional("keys")?.map { (block) throws(HubError) in
                try KeyBlock(block)
            } ?? [], user: try reading.optional("user")?.string(), live: live)
        if let rights = reading.optional("rights") { self.rights = try RightsAnswer(rights) }
        unavailable = try reading.optional("unavailable")?.strings().map { Scope($0) } ?? []
        minimumClientVersion = try reading.optional("minimumClientVersion")?.string()
        copiedAt = try reading.optional("copiedAt")?.time()
    }
}

extension KeyBlock {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("table")
            $0.string(table)
            $0.name("first")
            $0.integer(first)
            $0.name("last")
            $0.integer(last)
        }
    }

    fileprivate init(_ reading: JSONReading) throws(HubError) {
        let first = try reading.member("first").int64()
        let last = try reading.member("last").int64()
        guard first <= last, first > 0 else { throw reading.error("a block without keys") }
        self.init(table: try reading.member("table").string(), keys: first...last)
    }
}

extension Outcomes {
    /// The outcomes as JSON. The hub keeps them with the batch's nonce, in case an answer is lost.
    package func encoded() -> [UInt8] {
        JSONWriter.document { write(to: &$0) }
    }

    package init(decoding bytes: [UInt8]) throws(HubError) {
        try self.init(JSONReading(parsing: bytes))
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("number")
            $0.integer(number)
            $0.name("status")
            $0.string(status.rawValue)
            $0.name("list")
            $0.array { for outcome in outcomes { outcome.write(to: &$0) } }
        }
    }

    fileprivate init(_ reading: JSONReading) throws(HubError) {
        guard let status = Status(rawValue: try reading.member("status").string()) else {
            throw reading.error("a status that is not known")
        }
        self.init(
            number: try reading.member("number").int64(), status: status,
            outcomes: try reading.member("list").map { (outcome) throws(HubError) in
                try Outcome(outcome)
            })
    }
}

extension Outcome {
    /// `"applied"`, or an object when there is more to say.
    fileprivate func write(to writer: inout JSONWriter) {
        if stored.isEmpty, overruling == nil, let name = plainName { return writer.string(name) }
        writer.object {
            switch kind {
            case .refused(let refusal):
                $0.name("refused")
                $0.array {
                    $0.string(refusal.code.rawValue)
                    $0.string(refusal.message)
                }
            default:
                $0.name("is")
                $0.string(plainName ?? "")
            }
            if !stored.isEmpty {
                $0.name("stored")
                $0.stored(stored)
            }
            guard let overruling else { return }
            $0.name("lost")
            $0.object {
                if let rule = overruling.rule {
                    $0.name("rule")
                    $0.string(rule)
                }
                if let theirs = overruling.theirs {
                    $0.name("theirs")
                    $0.stored(theirs)
                }
                if let result = overruling.result {
                    $0.name("result")
                    $0.stored(result)
                }
            }
        }
    }

    private var plainName: String? {
        switch kind {
        case .applied: "applied"
        case .merged: "merged"
        case .overruled: "overruled"
        case .refused: nil
        }
    }

    fileprivate init(_ reading: JSONReading) throws(HubError) {
        if case .string(let name) = reading.json {
            self.init(kind: try Self.kind(name, reading))
            return
        }
        let stored = try reading.optional("stored")?.stored() ?? []
        var overruling: Overruling?
        if let lost = reading.optional("lost") {
            try lost.checkObject()
            overruling = Overruling(
                rule: try lost.optional("rule")?.string(),
                theirs: try lost.optional("theirs")?.stored(),
                result: try lost.optional("result")?.stored())
        }
        if let refused = reading.optional("refused") {
            let parts = try refused.strings()
            guard parts.count == 2 else { throw refused.error("code and message") }
            let refusal = Refusal(code: .init(rawValue: parts[0]), message: parts[1])
            self.init(kind: .refused(refusal), stored: stored, overruling: overruling)
        } else {
            self.init(
                kind: try Self.kind(try reading.member("is").string(), reading), stored: stored,
                overruling: overruling)
        }
    }

    private static func kind(_ name: String, _ reading: JSONReading) throws(HubError) -> Kind {
        switch name {
        case "applied": .applied
        case "merged": .merged
        case "overruled": .overruled
        default: throw reading.error("an outcome that is not known")
        }
    }
}

extension JSONWriter {
    fileprivate mutating func stored(_ values: [StoredValue]) {
        array {
            for value in values {
                $0.array {
                    $0.integer(Int64(value.column))
                    value.value.write(to: &$0)
                }
            }
        }
    }
}

extension JSONReading {
    fileprivate func stored() throws(HubError) -> [StoredValue] {
        try map { (element) throws(HubError) in
            let parts = try element.array()
            guard parts.count == 2 else { throw element.error("column and value") }
            return StoredValue(column: try parts[0].count(), value: try Value(parts[1]))
        }
    }
}
