#if Server
    import Foundation
    import Moorage

    /// Asks the server how it is while it is measured: the yardstick for what an exchange takes.
    struct HealthProbe: Sendable {
        private static let interval = Duration.milliseconds(250)

        let url: URL
        let transport: any HTTPTransport

        /// Until the task is cancelled, or the time has come.
        ///
        /// - Parameter end: `nil` to go on until it is cancelled, which is no failure then.
        func run(until end: ContinuousClock.Instant?, _ tally: BenchTally) async throws {
            do {
                while end.map({ ContinuousClock.now < $0 }) ?? true {
                    let begin = ContinuousClock.now
                    let isAnswered = try await ask()
                    await tally.health(isAnswered ? begin.duration(to: .now) : nil)
                    let next = begin + Self.interval
                    try await Task.sleep(
                        until: end.map { min(next, $0) } ?? next, clock: .continuous)
                }
            } catch is CancellationError where end == nil {}
        }

        private func ask() async throws -> Bool {
            let request = HTTPTransportRequest(
                method: "GET", url: url.appending(path: "health"),
                headers: [(name: "Accept", value: "application/json")])
            do {
                let response = try await transport.send(request)
                for try await _ in response.body {}
                return response.status == 200
            } catch {
                try Task.checkCancellation()
                return false
            }
        }
    }
#endif
