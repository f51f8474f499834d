#if Server
    import MoorageWire

    /// A replica's file, as the commands work on it.
    struct ReplicaFile {
        let path: String
        let console: Console

        func clone(from hub: HubAccess, tables: [String]) async throws { throw notYet }
        func sync(_ hub: HubAccess) async throws { throw notYet }
        func watch(_ hub: HubAccess) async throws { throw notYet }
        func status() async throws { throw notYet }
        func pending() async throws { throw notYet }
        func verify(_ hub: HubAccess) async throws { throw notYet }

        private var notYet: CommandFailure { CommandFailure("The replica is not here yet.") }
    }

    struct HubAccess {
        static func connect(
            _ address: HubAddress, _ settings: MoorageConfiguration
        ) throws -> HubAccess {
            HubAccess()
        }
    }

    enum DemoStory {
        static func run(folder: String?) async throws {
            throw CommandFailure("The demo is not here yet.")
        }
    }
#endif
