#if Server
    import Foundation
    import MoorageConfiguration
    import MoorageTesting

    extension BenchReport {
        /// Tables for people.
        package var text: String { [run, latencies, totals].joined(separator: "\n\n") }

        private var run: String {
            var table = TextTable()
            table.add("hub", "\(server.absoluteString), table \(plan.table)")
            let work =
                plan.readsOnly
                ? "nothing to push"
                : """
                \(plan.batch) changes each (\(plan.mix.inserts)/\(plan.mix.updates)/\
                \(plan.mix.deletes))
                """
            let count = plan.exchanges.map { ", \($0) in all" } ?? ""
            table.add(
                "load",
                """
                \(plan.devices) devices, \(plan.rate) exchanges a second each\(count), \(work), seed \
                \(plan.seed)
                """)
            table.add("measured", "\(Self.number(progress.time / .seconds(1))) s")
            table.add(
                "first copies",
                """
                \(progress.copiedRows) rows, \(progress.copyBytes.down) bytes, \
                \(Self.number(copiedRowsPerSecond)) rows/s
                """)
            if progress.isSparse {
                table.add("rows", "sparse: the hub refused values in columns that may be NULL")
            }
            return table.text
        }

        private var latencies: String {
            var table = TextTable()
            table.add("ms", "count", "p50", "p90", "p99", "max", "p50 × health")
            add("with changes", counts.withChanges, ratio(counts.withChanges), to: &table)
            add("without changes", counts.withoutChanges, ratio(counts.withoutChanges), to: &table)
            add("GET /health", counts.health, nil, to: &table)
            add("propagation", counts.deliveries.times, nil, to: &table)
            return table.text
        }

        private func add(
            _ name: String, _ times: LatencyHistogram, _ ratio: Double?, to table: inout TextTable
        ) {
            func cell(_ microseconds: UInt64?) -> String {
                microseconds.map { Self.number(Double($0) / 1_000) } ?? "-"
            }
            table.add(
                name, "\(times.count)", cell(times.percentile(50)), cell(times.percentile(90)),
                cell(times.percentile(99)), cell(times.count > 0 ? times.maximum : nil),
                ratio.map(Self.number) ?? "-")
        }

        private var totals: String {
            var table = TextTable()
            table.add("exchanges", "\(counts.exchanges)", rate(counts.exchanges))
            table.add("failed", "\(counts.failed)", Self.list(counts.failures))
            table.add(
                "behind", "\(counts.devicesBehind) devices",
                "\(counts.notBegun) exchanges not begun")
            table.add(
                "changes pushed", "\(counts.changes)", rate(counts.changes),
                """
                \(counts.inserts) inserts, \(counts.updates) updates, \(counts.deletes) deletes
                """)
            table.add("outcomes", "", Self.list(counts.outcomes))
            table.add("rows received", "\(counts.rowsReceived)", rate(counts.rowsReceived))
            table.add("removals received", "\(counts.removalsReceived)")
            table.add("bytes up", "\(progress.bytes.up)", rate(progress.bytes.up))
            table.add("bytes down", "\(progress.bytes.down)", rate(progress.bytes.down))
            table.add("rows not seen by others", "\(counts.deliveries.pending)")
            if cleared.keepsRows {
                table.add("own rows", "\(cleared.kept) kept")
            } else {
                table.add("own rows", "\(cleared.deleted) deleted", "\(cleared.left) left")
            }
            return table.text
        }

        private func rate(_ count: Int) -> String { "\(Self.number(perSecond(count)))/s" }

        private static func list(_ counts: [String: Int]) -> String {
            counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                .joined(separator: ", ")
        }

        private static func number(_ number: Double) -> String {
            String(format: number < 10 ? "%.2f" : "%.1f", number)
        }
    }
#endif
