#if Server
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #endif

    /// Where a command's output goes: results to standard output, everything else to standard
    /// error.
    package struct Console: Sendable {
        /// Whether long work reports its progress.
        let showsProgress: Bool

        package init(showsProgress: Bool) { self.showsProgress = showsProgress }

        /// Takes results instead of standard output.
        ///
        /// A struct around the closure, because optimized code of Swift 6.3 crashes when it binds a
        /// closure to a task-local (swiftlang/swift#88321).
        struct Capture: Sendable {
            let print: @Sendable (String) -> Void
        }

        /// Where results go instead, while a test runs.
        @TaskLocal static var capture: Capture?

        package func print(_ line: String = "") {
            if let capture = Self.capture { return capture.print(line) }
            Self.write(line + "\n", to: .standardOutput)
        }

        /// Writes a line of progress. On a terminal, the next line overwrites it.
        package func progress(_ line: String) {
            guard showsProgress else { return }
            let isTerminal = Self.isTerminal
            Self.write(isTerminal ? "\r\u{1B}[K\(line)" : line + "\n", to: .standardError)
        }

        /// Clears the last line of progress.
        package func endProgress() {
            guard showsProgress, Self.isTerminal else { return }
            Self.write("\r\u{1B}[K", to: .standardError)
        }

        static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

        package static func error(_ text: String) { write(text + "\n", to: .standardError) }

        /// A reader that closed the pipe (`| head`) does not make the command fail.
        private static func write(_ text: String, to file: FileHandle) {
            do {
                try file.write(contentsOf: Data(text.utf8))
            } catch {
                return
            }
        }
    }
#endif
