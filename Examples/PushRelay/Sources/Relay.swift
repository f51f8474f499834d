#if Server
    import Logging
    import NIOCore

    /// Turns a request's notices into push notifications.
    ///
    /// A notice is finished when its notification is sent, never can be, or failed too often. Then
    /// the same notice sends nothing more. Otherwise the hub learns that the request failed. It
    /// then sends the notices again, and lets all others wait.
    struct Relay: Sendable {
        /// The hub waits ten seconds for an answer.
        private static let timeLimit = TimeAmount.seconds(8)
        private static let maximumConcurrentPushes = 20

        let tokens: PushTokens
        let services: [PushToken.Service: any PushService]
        let refusal: PushText
        let client: PushClient
        let logger: Logger
        private let memory = NoticeMemory()

        init(
            tokens: PushTokens, services: [PushToken.Service: any PushService],
            refusal: PushText, client: PushClient, logger: Logger
        ) {
            self.tokens = tokens
            self.services = services
            self.refusal = refusal
            self.client = client
            self.logger = logger
        }

        /// Sends what the notices ask for, within eight seconds.
        ///
        /// - Returns: Whether all are finished.
        func handle(_ notices: [WebhookNotice]) async -> Bool {
            let deadline = NIODeadline.now() + Self.timeLimit
            var counts = RelayCounts()
            var gone: [String: PushToken] = [:]
            let deliveries = await deliveries(for: notices, &counts)
            let authorizations = await authorizations(for: deliveries, by: deadline)
            await withTaskGroup(of: (PushDelivery, DeliveryOutcome).self) { group in
                var rest = deliveries.makeIterator()
                func addNext() {
                    guard let next = rest.next() else { return }
                    let authorization = authorizations[next.token.service]
                    group.addTask { (next, await send(next, authorization, by: deadline)) }
                }
                for _ in 0..<Self.maximumConcurrentPushes { addNext() }
                for await (delivery, outcome) in group {
                    await finish(delivery, outcome, &counts)
                    if outcome == .gone { gone[delivery.replica] = delivery.token }
                    addNext()
                }
            }
            await remove(gone)
            for (reason, count) in counts.later {
                logger.warning("\(count) notifications wait. \(reason).")
            }
            for (reason, count) in counts.givenUp {
                logger.warning("\(count) notifications are given up. \(reason).")
            }
            logger.info(
                "The hub sent \(notices.count) notices.",
                metadata: counts.metadata.mapValues { "\($0)" })
            return counts.isComplete
        }

        /// One notification for each replica and kind of notice. Notices that need none are
        /// finished.
        private func deliveries(
            for notices: [WebhookNotice], _ counts: inout RelayCounts
        ) async -> [PushDelivery] {
            struct Target: Hashable {
                let replica: String
                let push: Push
            }
            var targets: [Target] = []
            var ids: [Target: [String]] = [:]
            for notice in notices {
                guard let push = push(for: notice) else {
                    counts.unsent += 1
                    continue
                }
                switch await memory.begin(notice.id) {
                case .done: counts.repeated += 1
                case .underWay: counts.underWay += 1
                case .new:
                    let target = Target(replica: notice.replica, push: push)
                    if ids[target] == nil { targets.append(target) }
                    ids[target, default: []].append(notice.id)
                }
            }
            var deliveries: [PushDelivery] = []
            for target in targets {
                let notices = ids[target] ?? []
                if let token = await tokens[target.replica], services[token.service] != nil {
                    deliveries.append(
                        PushDelivery(
                            replica: target.replica, push: target.push, token: token,
                            notices: notices))
                } else {
                    counts.unreachable += 1
                    await memory.finish(notices)
                }
            }
            return deliveries
        }

        /// - Returns: `nil` if the notice sends nothing.
        private func push(for notice: WebhookNotice) -> Push? {
            switch notice.kind {
            case .news: .news
            case .refused: .refused(refusal)
            case .conflict: nil
            }
        }

        /// One for each service that is needed. A service that gives none is left out.
        private func authorizations(
            for deliveries: [PushDelivery], by deadline: NIODeadline
        ) async -> [PushToken.Service: String] {
            var authorizations: [PushToken.Service: String] = [:]
            for name in Set(deliveries.map(\.token.service)) {
                guard let service = services[name] else { continue }
                do {
                    authorizations[name] = try await service.authorization(client, by: deadline)
                } catch let error as PushFailure {
                    logger.error("\(service.name) authorizes nothing: \(error).")
                } catch {
                    logger.error("\(service.name) authorizes nothing: \(type(of: error)).")
                }
            }
            return authorizations
        }

        private func send(
            _ delivery: PushDelivery, _ authorization: String?, by deadline: NIODeadline
        ) async -> DeliveryOutcome {
            guard let service = services[delivery.token.service], let authorization else {
                return .later("without authorization")
            }
            guard deadline > .now() else { return .untried }
            do {
                let request = try service.request(
                    delivery.push, to: delivery.token.token, authorization: authorization)
                return await service.outcome(
                    of: try await client.answer(to: request, by: deadline, readsBody: false))
            } catch let error as PushFailure {
                return .later("\(error)")
            } catch {
                // The error may quote the address, which contains the token.
                return .later("\(type(of: error))")
            }
        }

        private func finish(
            _ delivery: PushDelivery, _ outcome: DeliveryOutcome, _ counts: inout RelayCounts
        ) async {
            let service = services[delivery.token.service]?.name ?? ""
            switch outcome {
            case .sent: counts.sent += 1
            case .gone: counts.gone += 1
            case .rejected(let reason):
                counts.rejected += 1
                logger.warning(
                    "\(service) rejected a notification: \(reason).",
                    metadata: ["replica": "\(delivery.replica)"])
            // Without its news a device is only less fresh, and the others need not wait for it.
            case .busy(let reason) where delivery.push == .news:
                counts.givenUp["\(service): \(reason)", default: 0] += 1
            case .busy(let reason), .later(let reason):
                if await memory.fail(delivery.notices) {
                    counts.givenUp["\(service): \(reason)", default: 0] += 1
                } else {
                    counts.later["\(service): \(reason)", default: 0] += 1
                }
                return
            case .untried:
                counts.later["\(service): out of time", default: 0] += 1
                return await memory.postpone(delivery.notices)
            }
            await memory.finish(delivery.notices)
        }

        private func remove(_ gone: [String: PushToken]) async {
            if gone.isEmpty { return }
            do {
                try await tokens.remove(gone)
            } catch {
                // The next notification finds again that the tokens are gone.
                logger.error("The file with the push tokens cannot be written.")
            }
        }
    }
#endif
