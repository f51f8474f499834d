#if Server
    import MoorageSupport
    import MoorageWire

    /// Lets each user come so often and no more: one of them must not take the server from the others.
    ///
    /// A user may save up a minute's requests and spend them at once.
    final class UserRate: Sendable {
        private struct Account {
            /// Requests that may come at once.
            var left: Double
            var at: Double
        }

        private let accounts = Locked<[String: Account]>([:])
        private let perMinute: Double
        /// Seconds.
        private let now: @Sendable () -> Double

        /// Beyond so many, those who have a full minute again are forgotten.
        private static let maximumAccounts = 10_000

        init(perMinute: Int, now: @escaping @Sendable () -> Double) {
            self.perMinute = Double(perMinute)
            self.now = now
        }

        /// Users that are remembered.
        var count: Int { accounts.withLock { $0.count } }

        /// - Throws: ``HubError`` `tooMany` with the time until the next request may come.
        func admit(_ subject: String) throws(HubError) {
            let now = now()
            let wait: Double? = accounts.withLock { accounts in
                var account = accounts[subject] ?? Account(left: perMinute, at: now)
                account.left = left(account, now)
                account.at = now
                guard account.left >= 1 else { return (1 - account.left) * 60 / perMinute }
                account.left -= 1
                accounts[subject] = account
                if accounts.count > Self.maximumAccounts {
                    accounts = accounts.filter { left($0.value, now) < perMinute }
                }
                return nil
            }
            guard let wait else { return }
            throw HubError.tooManyRequests(.seconds(Int64(wait.rounded(.up))))
        }

        private func left(_ account: Account, _ now: Double) -> Double {
            min(perMinute, account.left + max(0, now - account.at) * perMinute / 60)
        }
    }
#endif
