#if Server
    import MoorageWire

    /// Why a command failed: what went wrong, where, and what to do next.
    struct CommandFailure: Error, Hashable, CustomStringConvertible {
        let what: String
        /// The file and line, table or address that it is about.
        let place: String?
        let next: String?
        let exit: CommandExit

        init(
            _ what: String, at place: String? = nil, next: String? = nil,
            exit: CommandExit = .failure
        ) {
            self.what = what
            self.place = place
            self.next = next
            self.exit = exit
        }

        var description: String {
            var lines = ["moorage: \(what)"]
            if let place { lines.append("  at: \(place)") }
            if let next { lines.append("  next: \(next)") }
            return lines.joined(separator: "\n")
        }

        /// The same failure with this place, unless it already has one.
        func at(_ place: String) -> CommandFailure {
            CommandFailure(what, at: self.place ?? place, next: next, exit: exit)
        }
    }

    /// The exit codes, those of sysexits.h where one fits.
    enum CommandExit: Int32, CaseIterable {
        case success = 0
        /// The command failed, `verify` found a difference, or `doctor` found a problem.
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
