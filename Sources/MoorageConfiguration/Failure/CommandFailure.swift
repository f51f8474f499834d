#if Server
    /// Why a command failed: what went wrong, where, and what to do next.
    package struct CommandFailure: Error, Hashable, CustomStringConvertible {
        package let what: String
        /// The file and line, table or address that it is about.
        package let place: String?
        package let next: String?
        package let exit: CommandExit

        package init(
            _ what: String, at place: String? = nil, next: String? = nil,
            exit: CommandExit = .failure
        ) {
            self.what = what
            self.place = place
            self.next = next
            self.exit = exit
        }

        package var description: String { text(of: "moorage") }

        /// What a program prints of it, line by line.
        package func text(of program: String) -> String {
            var lines = ["\(program): \(what)"]
            if let place { lines.append("  at: \(place)") }
            if let next { lines.append("  next: \(next)") }
            return lines.joined(separator: "\n")
        }
    }

    /// The exit codes, those of sysexits.h where one fits.
    package enum CommandExit: Int32, CaseIterable, Sendable {
        case success = 0
        /// The command failed, or found something. For `verify`, `schema --check`, `schema app` and
        /// `generate swift --check` that is a difference, for `doctor` a problem. `schema usage`
        /// found a replica that needs what is to be dropped, `restore-check` a step to do.
        case failure = 1
        /// The command line is invalid.
        case usage = 64
        /// It worked, except for suspended tables, which are neither synced nor compared.
        case suspended = 69
        /// The hub or the central database does not answer now: try again later.
        case temporary = 75
        /// The secret was not accepted.
        case unauthorized = 77
        /// The configuration has a mistake.
        case configuration = 78
    }
#endif
