#if Server
    import Logging
    import MoorageCore
    import MoorageWire

    /// An issuer's published keys. The server reads them again at intervals, and when a token names
    /// an unknown key. While the issuer does not answer, tokens with a known key still work.
    actor KeySet {
        /// Seconds.
        struct Times {
            /// How often the set is read again.
            var refresh = 300.0
            /// The age after which the server no longer trusts a set.
            var expiry = 3_600.0
            /// The least time between two attempts, so that tokens with made-up keys put no load on
            /// the issuer.
            var pause = 10.0
        }

        private let source: KeySetSource
        private let fetch: @Sendable (String) async throws -> [UInt8]
        private let now: @Sendable () -> Double
        private let times: Times
        private let logger: Logger
        private var keys: [TokenKey] = []
        private var loadedAt: Double?
        private var triedAt: Double?
        private var hasFailed = false
        private var loading: Task<Void, Never>?

        /// More keys than any issuer publishes.
        private static let maximumKeys = 100

        /// - Parameter now: Seconds of a clock that never goes back.
        init(
            _ source: KeySetSource, times: Times = Times(), logger: Logger,
            now: @escaping @Sendable () -> Double,
            fetch: @escaping @Sendable (String) async throws -> [UInt8]
        ) {
            self.source = source
            self.times = times
            self.logger = logger
            self.now = now
            self.fetch = fetch
        }

        /// - Returns: `nil` for a key that the issuer does not publish.
        /// - Throws: ``HubError`` `busy` when the issuer's keys are not available now.
        func key(_ id: String) async throws -> TokenKey? {
            if isBelieved, let key = known(id) { return key }
            await startLoading()?.value
            guard isBelieved, !hasFailed || known(id) != nil else {
                throw HubError.signInKeysUnavailable(retryAfter: .seconds(Int64(times.pause)))
            }
            return known(id)
        }

        /// Reads the set at intervals, until it is cancelled. The server therefore soon stops
        /// trusting a key that the issuer removed, and sign-ins do not wait for the issuer.
        func keepFresh() async {
            while !Task.isCancelled {
                await startLoading()?.value
                try? await Task.sleep(for: .seconds(times.refresh))
            }
        }

        private var isBelieved: Bool { loadedAt.map { now() - $0 < times.expiry } ?? false }

        private func known(_ id: String) -> TokenKey? {
            keys.first { TokenRules.isSame($0.id, id) }
        }

        /// - Returns: The attempt to wait for; `nil` when the last attempt was just now.
        private func startLoading() -> Task<Void, Never>? {
            if let loading { return loading }
            if let triedAt, now() - triedAt < times.pause { return nil }
            triedAt = now()
            let task = Task { await load() }
            loading = task
            return task
        }

        private func load() async {
            defer { loading = nil }
            do {
                let list = try Self.list(try await fetch(source.url))
                keys = await usable(list)
                loadedAt = now()
                hasFailed = false
                if keys.count < list.count {
                    logger.warning("Of \(list.count) keys for tokens \(keys.count) are used.")
                }
            } catch {
                hasFailed = true
                let reason = (error as? KeySetDownload.Failure)?.reason ?? "\(type(of: error))"
                logger.warning("The keys for tokens could not be read: \(reason).")
            }
        }

        private static func list(_ bytes: [UInt8]) throws -> [JSON] {
            guard let json = try? JSON(parsing: bytes), case .array(let list)? = json["keys"],
                list.count <= maximumKeys
            else { throw KeySetDownload.Failure(reason: "it is no key set") }
            return list
        }

        private func usable(_ list: [JSON]) async -> [TokenKey] {
            var keys: [TokenKey] = []
            for jwk in list {
                guard let key = await TokenKey(jwk: jwk, standard: source.algorithm) else {
                    continue
                }
                keys.append(key)
            }
            // Two keys with the same name are ambiguous, so neither is used.
            return keys.filter { key in
                keys.filter { TokenRules.isSame($0.id, key.id) }.count == 1
            }
        }
    }
#endif
