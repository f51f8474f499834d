#if Server
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #endif

    /// Where a command's words go: results to standard output, everything else to standard error.
    struct Console: Sendable {
        /// Whether long work tells how far it is.
        let showsProgress: Bool

        init(showsProgress: Bool) { self.showsProgress = showsProgress }

        /// Takes results instead of standard output.
        ///
        /// Not the closure alone: optimized code of Swift 6.3 crashes when it binds a closure to a
        /// task-local (swiftlang/swift#88321).
        struct Capture: Sendable {
            let print: @Sendable (String) -> Void
        }

        /// Where results go instead, while a test runs.
        @TaskLocal static var capture: Capture?

        func print(_ line: String = "") {
            if let capture = Self.capture { return capture.print(line) }
            Self.write(line + "\n", to: .standardOutput)
        }

        /// One line that is overwritten by the next on a terminal, and stands alone elsewhere.
        func progress(_ line: String) {
            guard showsProgress else { return }
            let isTerminal = Self.isTerminal
            Self.write(isTerminal ? "\r\u{1B}[K\(line)" : line + "\n", to: .standardError)
        }

        /// Makes room after the last line of progress.
        func endProgress() {
            guard showsProgress, Self.isTerminal else { return }
            Self.write("\r\u{1B}[K", to: .standardError)
        }

        static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

        static func error(_ text: String) { write(text + "\n", to: .standardError) }

        /// A reader that went away (`| head`) is no failure of the command.
        private static func write(_ text: String, to file: FileHandle) {
            do {
                try file.write(contentsOf: Data(text.utf8))
            } catch {
                return
            }
        }
    }
#endif
