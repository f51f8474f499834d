#if Server
    import MoorageConfiguration
    import MoorageCore
    import MoorageTesting

    extension BenchReport {
        /// One document for machines: times in milliseconds, with what is unknown null.
        package var json: String {
            var writer = JSONWriter()
            writer.object {
                $0.member("table", plan.table)
                $0.name("isWhole")
                $0.bool(isWhole)
                $0.object("plan", writePlan)
                $0.object("firstCopies", writeCopies)
                $0.object("latency") { writer in
                    writer.object("withChanges") { write(counts.withChanges, to: &$0) }
                    writer.object("withoutChanges") { write(counts.withoutChanges, to: &$0) }
                    writer.object("health") { write(counts.health, to: &$0) }
                    writer.object("propagation") { write(counts.deliveries.times, to: &$0) }
                }
                $0.object("timesHealth") { writer in
                    writer.member("withChanges", ratio(counts.withChanges))
                    writer.member("withoutChanges", ratio(counts.withoutChanges))
                }
                writeTotals(to: &$0)
                $0.object("ownRows") { writer in
                    writer.member("kept", Int64(cleared.kept))
                    writer.member("deleted", Int64(cleared.deleted))
                    writer.member("left", Int64(cleared.left))
                }
            }
            return String(decoding: writer.bytes, as: UTF8.self)
        }

        private func writePlan(to writer: inout JSONWriter) {
            writer.member("devices", Int64(plan.devices))
            if let exchanges = plan.exchanges {
                writer.member("exchanges", Int64(exchanges))
            } else {
                writer.member("seconds", plan.seconds)
            }
            writer.member("rate", plan.rate)
            writer.member("batch", Int64(plan.readsOnly ? 0 : plan.batch))
            writer.name("mix")
            writer.array {
                for part in [plan.mix.inserts, plan.mix.updates, plan.mix.deletes] {
                    $0.integer(Int64(part))
                }
            }
            writer.member("rows", Int64(plan.readsOnly ? 0 : plan.rows))
            writer.member("seed", String(plan.seed))
        }

        private func writeCopies(to writer: inout JSONWriter) {
            writer.member("rows", Int64(progress.copiedRows))
            writer.member("bytesDown", Int64(progress.copyBytes.down))
            writer.member("seconds", progress.copyTime / .seconds(1))
            writer.member("rowsPerSecond", copiedRowsPerSecond)
        }

        private func write(_ times: LatencyHistogram, to writer: inout JSONWriter) {
            writer.member("count", Int64(times.count))
            for (name, percent) in [("p50", 50.0), ("p90", 90), ("p99", 99), ("max", 100)] {
                writer.member(name, times.percentile(percent).map { Double($0) / 1_000 })
            }
        }

        private func writeTotals(to writer: inout JSONWriter) {
            writer.member("measuredSeconds", progress.time / .seconds(1))
            writer.member("exchanges", Int64(counts.exchanges))
            writer.member("exchangesPerSecond", perSecond(counts.exchanges))
            writer.object("failures") { write(counts.failures, to: &$0) }
            writer.member("healthFailures", Int64(counts.healthFailures))
            writer.member("devicesBehind", Int64(counts.devicesBehind))
            writer.member("exchangesNotBegun", Int64(counts.notBegun))
            writer.object("changes") {
                $0.member("inserts", Int64(counts.inserts))
                $0.member("updates", Int64(counts.updates))
                $0.member("deletes", Int64(counts.deletes))
            }
            writer.member("changesPerSecond", perSecond(counts.changes))
            writer.object("outcomes") { write(counts.outcomes, to: &$0) }
            writer.member("rowsReceived", Int64(counts.rowsReceived))
            writer.member("rowsReceivedPerSecond", perSecond(counts.rowsReceived))
            writer.member("removalsReceived", Int64(counts.removalsReceived))
            writer.member("rowsNotSeenByOthers", Int64(counts.deliveries.pending))
            writer.member("bytesUp", Int64(progress.bytes.up))
            writer.member("bytesDown", Int64(progress.bytes.down))
        }

        private func write(_ counts: [String: Int], to writer: inout JSONWriter) {
            for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
                writer.member(name, Int64(count))
            }
        }
    }

    extension JSONWriter {
        fileprivate mutating func object(_ name: String, _ members: (inout JSONWriter) -> Void) {
            self.name(name)
            object(members)
        }

        fileprivate mutating func member(_ name: String, _ number: Double?) {
            self.name(name)
            if let number { real(number) } else { null() }
        }
    }
#endif
