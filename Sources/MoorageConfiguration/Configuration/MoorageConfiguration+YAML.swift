#if Server
    import Foundation
    import MoorageCore
    import MoorageHub
    import MoorageServer
    import MoorageWire

    extension MoorageConfiguration {
        /// Reads a file.
        static func load(
            _ path: String, environment: [String: String]
        ) throws(CommandFailure) -> MoorageConfiguration {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw CommandFailure.unreadableConfiguration(path)
            }
            guard let text = String(validating: data, as: UTF8.self) else {
                throw CommandFailure.configurationNotUTF8(path)
            }
            return try parse(text, file: path, environment: environment)
        }

        /// Reads the text of a file; every mistake is named with its line.
        package static func parse(
            _ text: String, file: String, environment: [String: String]
        ) throws(CommandFailure) -> MoorageConfiguration {
            var result = MoorageConfiguration()
            guard
                let root = try YAMLReading.parse(text, file: file, environment: environment)
            else { return result }
            let members = try root.members([
                "database", "listen", "secret", "signIn", "apiKeys", "tls", "trustedProxies",
                "allowPlainHTTP", "rest", "cors", "tables", "scopes", "roles", "classes", "audit",
                "live",
                "webhook", "minimumClientVersion", "limits",
            ])
            if let database = members["database"] {
                let text = try database.substitutedText()
                do {
                    result.database = try DatabaseSetting(text)
                } catch {
                    throw CommandFailure(
                        error.what, at: error.place ?? database.place, next: error.next,
                        exit: .configuration)
                }
            }
            if let listen = members["listen"] {
                let text = try listen.text()
                do {
                    result.listen = try ListenAddress(text)
                } catch {
                    throw listen.failure(error.message)
                }
            }
            if let secret = members["secret"] {
                let text = try secret.text()
                do {
                    _ = try SharedSecret(text)
                } catch {
                    throw secret.failure(error.message)
                }
                result.secret = SecretText(text: text)
            }
            if let tokens = members["signIn"] { result.signIn.tokens = try readTokens(tokens) }
            if let keys = members["apiKeys"] { result.signIn.apiKeys = try readAPIKeys(keys) }
            if let tls = members["tls"] { result.tls = try readTLS(tls) }
            if let proxies = members["trustedProxies"] {
                result.trustedProxies = try readProxies(proxies)
            }
            if let flag = members["allowPlainHTTP"] { result.allowPlainHTTP = try flag.bool() }
            if let flag = members["rest"] { result.answersREST = try flag.bool() }
            if let origins = members["cors"] { result.crossOrigins = try readOrigins(origins) }
            if let tables = members["tables"] { result.tables = try readTables(tables) }
            if let scopes = members["scopes"] { try result.readHoldings(scopes) }
            result.addHoldingsOfFilters()
            try result.checkScopes(members["scopes"] ?? root)
            if let roles = members["roles"] { result.roleClaim = try readClaim(roles) }
            if let classes = members["classes"] { result.classes = try readClasses(classes) }
            if let audit = members["audit"] { result.audit = try readAudit(audit) }
            if let live = members["live"] { result.live = try readLive(live) }
            if let webhook = members["webhook"] { result.webhook = try readWebhook(webhook) }
            if let version = members["minimumClientVersion"] {
                result.minimumClientVersion = try readVersion(version)
            }
            if let limits = members["limits"] { try result.readLimits(limits) }
            return result
        }

        private static func readOrigins(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> [WebOrigin] {
            var origins: [WebOrigin] = []
            for element in reading.isScalar ? [reading] : try reading.elements() {
                let text = try element.text()
                do {
                    origins.append(try WebOrigin(text))
                } catch {
                    throw element.failure(error.message)
                }
            }
            return origins
        }

        /// `false`, or `{interval: 100ms, heartbeat: 10s, life: 1h}`.
        private static func readLive(_ reading: YAMLReading) throws(CommandFailure) -> LivePolicy {
            var live = LivePolicy()
            if reading.isScalar {
                live.isGranted = try reading.bool()
                return live
            }
            let members = try reading.members(["interval", "heartbeat", "life"])
            if let interval = members["interval"] {
                live.interval = try interval.duration()
                guard live.interval <= .seconds(60) else {
                    throw interval.failure("The interval is a minute at most.")
                }
            }
            if let heartbeat = members["heartbeat"] {
                live.heartbeat = try heartbeat.duration()
                guard live.heartbeat >= .milliseconds(100), live.heartbeat <= .seconds(12) else {
                    throw heartbeat.failure(
                        "The heartbeat is from 100ms to 12s: who hears nothing for 30s goes away.")
                }
            }
            if let life = members["life"] { live.maximumLife = try life.duration() }
            return live
        }

        static func readVersion(_ reading: YAMLReading) throws(CommandFailure) -> String {
            let text = try reading.text()
            guard ClientVersion(text) != nil else {
                throw reading.failure(
                    "A version begins with a number.",
                    next: "Write numbers with points between them, such as `2.10`.")
            }
            return text
        }

        /// `true`, or `{days: 365}`.
        private static func readAudit(_ reading: YAMLReading) throws(CommandFailure) -> Audit? {
            if reading.isScalar { return try reading.bool() ? Audit() : nil }
            let members = try reading.members(["days"])
            guard let days = members["days"] else {
                throw reading.failure("It does not say for how long.", next: "Write `{days: 365}`.")
            }
            return Audit(days: try days.integer(in: 1...36_500))
        }

        private mutating func readLimits(_ reading: YAMLReading) throws(CommandFailure) {
            let members = try reading.members([
                "batchRows", "batchBytes", "valueBytes", "pageRows", "pageBytes", "pages",
                "bodyBytes", "bufferedBytes", "headerBytes", "connections", "exchanges",
                "streams", "requestsPerMinute", "replicasPerUser", "centralConnections",
                "idleTimeout", "restTimeout",
                "retentionDays", "conflictDays",
            ])
            func number(
                _ name: String, _ range: ClosedRange<Int>, _ old: Int
            ) throws(CommandFailure) -> Int {
                try members[name]?.integer(in: range) ?? old
            }
            let bytes = 1...2_000_000_000
            // Beyond it very many small values come to more memory than a message may.
            let values = 1...8_000_000
            let count = 1...1_000_000
            hubLimits.maximumBatchRows = try number("batchRows", count, hubLimits.maximumBatchRows)
            hubLimits.maximumBatchBytes = try number(
                "batchBytes", values, hubLimits.maximumBatchBytes)
            hubLimits.maximumValueBytes = try number(
                "valueBytes", bytes, hubLimits.maximumValueBytes)
            pages.maximumRows = try number("pageRows", count, pages.maximumRows)
            pages.maximumBytes = try number("pageBytes", values, pages.maximumBytes)
            pages.maximumPages = try number("pages", count, pages.maximumPages)
            serverLimits.maximumBodyBytes = try number(
                "bodyBytes", bytes, serverLimits.maximumBodyBytes)
            serverLimits.maximumBufferedBytes = try number(
                "bufferedBytes", 1...100_000_000_000, serverLimits.maximumBufferedBytes)
            serverLimits.maximumHeaderBytes = try number(
                "headerBytes", 1_024...1_000_000, serverLimits.maximumHeaderBytes)
            serverLimits.maximumConnections = try number(
                "connections", count, serverLimits.maximumConnections)
            serverLimits.maximumExchanges = try number(
                "exchanges", count, serverLimits.maximumExchanges)
            serverLimits.maximumStreams = try number("streams", count, serverLimits.maximumStreams)
            serverLimits.requestsPerMinute = try number(
                "requestsPerMinute", count, serverLimits.requestsPerMinute)
            replicasPerUser = try number("replicasPerUser", count, replicasPerUser)
            centralConnections = try number("centralConnections", 1...1_000, centralConnections)
            retentionDays = try number("retentionDays", 1...3_650, retentionDays)
            if let days = members["conflictDays"] {
                conflictDays = try days.integer(in: retentionDays...36_500)
            }
            if let idle = members["idleTimeout"] { serverLimits.idleTimeout = try idle.duration() }
            if let rest = members["restTimeout"] { serverLimits.restTimeout = try rest.duration() }
            guard serverLimits.maximumBodyBytes <= serverLimits.maximumBufferedBytes else {
                throw reading.failure(
                    "bodyBytes is more than bufferedBytes: no such request would be taken.",
                    next: "Raise bufferedBytes, or lower bodyBytes.")
            }
            guard hubLimits.maximumBatchBytes <= serverLimits.maximumBodyBytes / 2 else {
                throw reading.failure(
                    "batchBytes must be at most half of bodyBytes: values grow in JSON.",
                    next: "Raise bodyBytes, or lower batchBytes.")
            }
        }
    }

    extension String {
        fileprivate init?(validating data: Data, as encoding: UTF8.Type) {
            self.init(bytes: data, encoding: .utf8)
        }
    }
#endif
