#if Server
    import MoorageWire

    /// Why a command did not do what it was told: what, where, and what to do next.
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

        /// The same failure, said of a place.
        func at(_ place: String) -> CommandFailure {
            CommandFailure(what, at: self.place ?? place, next: next, exit: exit)
        }
    }

    /// The exit codes, those of sysexits.h where one fits.
    enum CommandExit: Int32, CaseIterable {
        case success = 0
        /// It did not work, or `verify` found a difference, or `doctor` a problem.
        case failure = 1
        /// The command line is not one of ours.
        case usage = 64
        /// It worked, but for tables that are suspended: they are neither synced nor compared.
        case suspended = 69
        /// The hub or the central database is not there now: try again later.
        case temporary = 75
        /// The secret was not accepted.
        case unauthorized = 77
        /// The configuration has a mistake.
        case configuration = 78
    }
#endif
