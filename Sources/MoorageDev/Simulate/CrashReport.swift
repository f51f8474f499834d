#if Server || Tools
    import Foundation

    /// Names the seed of a simulated history that takes the process with it: nothing else would say
    /// which one it was.
    ///
    /// A trap's signal comes to the thread that trapped, so that each thread records its own seed.
    enum CrashReport {
        /// The seed and one, in the place of a pointer: nothing recorded is no pointer.
        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            precondition(pthread_key_create(&key, nil) == 0, "there is no key for a thread's seed")
            return key
        }()

        private static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGABRT]

        /// What the signals did before, by signal: it is done afterwards.
        nonisolated(unsafe) private static let before = UnsafeMutablePointer<sigaction>.allocate(
            capacity: Int(signals.max() ?? 0) + 1)

        static func install() {
            _ = key
            var action = sigaction()
            #if canImport(Darwin)
                action.__sigaction_u.__sa_handler = speak
            #else
                action.__sigaction_handler.sa_handler = speak
            #endif
            for signal in signals { sigaction(signal, &action, before + Int(signal)) }
        }

        /// Records the seed that the calling thread begins with.
        static func record(_ seed: UInt64) {
            pthread_setspecific(key, UnsafeRawPointer(bitPattern: UInt(seed &+ 1)))
        }

        /// Only calls that a signal's handler may make: nothing is allocated or locked.
        private static let speak: @convention(c) (Int32) -> Void = { signal in
            if let noted = pthread_getspecific(key) { name(UInt64(UInt(bitPattern: noted)) &- 1) }
            sigaction(signal, before + Int(signal), nil)
            raise(signal)
        }

        private static func name(_ seed: UInt64) {
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { line in
                var start = line.count - 1
                line[start] = UInt8(ascii: "\n")
                var rest = seed
                repeat {
                    start -= 1
                    line[start] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                } while rest > 0
                let words: StaticString = "The process ends in the history of seed "
                words.withUTF8Buffer { _ = write(2, $0.baseAddress, $0.count) }
                let digits = UnsafeMutableBufferPointer(rebasing: line[start...])
                _ = write(2, digits.baseAddress, digits.count)
            }
        }
    }
#endif
