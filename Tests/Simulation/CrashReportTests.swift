#if Server
    import Foundation
    import TestSupport
    import Testing

    @testable import MoorageDev

    @Suite(.ownThreads) struct `A simulated history that takes the process with it` {
        @Test func `is named by its seed, by the thread that it ran on`() async throws {
            let result = await #expect(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) {
                CrashReport.install()
                CrashReport.record(18_446_744_073_709_551_614)
                let other = Thread {
                    CrashReport.record(4711)
                    abort()
                }
                other.start()
                while true { pause() }
            }
            let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(errors.contains("The process ends in the history of seed 4711\n"))
            #expect(!errors.contains("18446744073709551614"))
        }
    }
#endif
