#if Server
    import Moorage
    import MoorageCore
    import MoorageHub
    import MoorageWire

    extension CommandFailure {
        /// Any error in the words of the command line.
        package init(explaining error: any Error) {
            switch error {
            case let failure as CommandFailure: self = failure
            case let error as HubError: self.init(error)
            case let error as CentralError: self.init(error)
            case let error as ReplicaError: self.init(error)
            case let error as CoreError: self.init(error.message)
            case is CancellationError: self.init("The command was stopped.", exit: .temporary)
            default: self.init("\(error)")
            }
        }

        /// An error of the work with a hub. It names the hub if it is about the hub.
        ///
        /// - Parameter hub: The address, as ``HubAddress/shown(_:)`` gives it.
        package init(explaining error: any Error, hub: String?) {
            let isOfHub =
                switch error {
                case is HubError, is CentralError: true
                case let error as ReplicaError:
                    error.cause is HubError || error.code == .differentHub
                default: false
                }
            let failure = CommandFailure(explaining: error)
            self.init(
                failure.what, at: failure.place ?? (isOfHub ? hub : nil), next: failure.next,
                exit: failure.exit)
        }

        init(_ error: HubError) {
            // The client's own text tells the author of an app where to give the secret.
            let what =
                error == .notAuthorized
                ? "The hub did not accept the secret or token." : error.message
            self.init(what, next: Self.next(error), exit: Self.exit(error))
        }

        init(_ error: ReplicaError) {
            if let cause = error.cause as? HubError {
                self.init(cause)
                return
            }
            switch error.recovery {
            case .retry:
                self.init(error.message, next: "Try again in a moment.", exit: .temporary)
            case .signIn: self.init(error.message, exit: .unauthorized)
            case .reportBug: self.init(error.message, next: "Please report this.")
            case .changeSchema, .choose, .changeCall, .updateApp, .askOperator:
                self.init(error.message)
            }
        }

        init(_ error: CentralError) {
            switch error.kind {
            case .unavailable:
                self.init(
                    error.message,
                    next: "See that the database runs and that the URL is right; then try again.",
                    exit: .temporary)
            case .conflict:
                self.init(
                    error.message,
                    next: "Others have locked what this command needs: try again later.",
                    exit: .temporary)
            case .refused, .invalidCheckpoint, .failed: self.init(error.message)
            }
        }

        private static func exit(_ error: HubError) -> CommandExit {
            switch error.code {
            case .unauthorized: .unauthorized
            case .configuration: .configuration
            // Another try changes nothing before somebody has changed something.
            case .untrustedServer: .failure
            default: error.isTransient ? .temporary : .failure
            }
        }

        private static func next(_ error: HubError) -> String? {
            switch error.code {
            case .unauthorized:
                "Give the server's secret, or a token: in MOORAGE_SECRET, or in a file with --secret-file."
            case .unreachable:
                "See that the server runs and that the address is right; then try again."
            case .notOurServer:
                "Something else answers at this address: check host and port."
            case .notAttached: "Run `moorage attach` on the central database first."
            case .tableSuspended: "Run `moorage attach` again."
            case .tableUnsupported:
                "Change the table as `moorage doctor` says, or leave it out with --table."
            case .untrustedServer:
                "Name the server's own authority with --ca-file, correct the address, or give the present key with --pin."
            case .metadataTooNew, .protocolTooOld: "Update the older of the two programs."
            case .clientTooOld:
                "Sync the file with its app: this command names no version of an app."
            case .differentHub:
                "Use the hub that the file was cloned from, or clone a new file."
            case .databaseUnavailable:
                "See that the database runs and that its URL is right; then try again."
            case .busy, .shuttingDown: "Try again in a moment."
            default: nil
            }
        }
    }
#endif
