#if Server
    import MoorageCore

    /// Follows inserted rows from the answer of the device that pushed them to the first other device that
    /// receives them.
    ///
    /// A row may come to another device before its own has the answer: that took no time.
    struct DeliveryTracker: Sendable {
        /// Beyond it rows are not followed.
        private static let maximumRows = 100_000

        private enum State {
            case sent
            case seenBeforeItsAnswer
            case answered(ContinuousClock.Instant)
        }

        private var rows: [RowKey: State] = [:]
        private(set) var times = LatencyHistogram()

        /// Rows that nobody else has received.
        var pending: Int { rows.count }

        mutating func sent(_ keys: [RowKey]) {
            for key in keys where rows.count < Self.maximumRows { rows[key] = .sent }
        }

        mutating func answered(_ keys: [RowKey], at time: ContinuousClock.Instant) {
            for key in keys {
                switch rows[key] {
                case .sent: rows[key] = .answered(time)
                case .seenBeforeItsAnswer:
                    rows[key] = nil
                    times.add(.zero)
                case .answered, nil: break
                }
            }
        }

        /// What was not taken is followed no longer.
        mutating func dropped(_ keys: [RowKey]) {
            for key in keys { rows[key] = nil }
        }

        mutating func received(_ keys: [RowKey], at time: ContinuousClock.Instant) {
            for key in keys {
                switch rows[key] {
                case .sent: rows[key] = .seenBeforeItsAnswer
                case .answered(let answer):
                    rows[key] = nil
                    times.add(answer.duration(to: time))
                case .seenBeforeItsAnswer, nil: break
                }
            }
        }
    }
#endif
