#if Server
    /// Fills a central database with the example's rows.
    struct SampleDatabase {
        let size: Int
        let seed: UInt64

        func make(_ address: DatabaseAddress, connections: Int, console: Console) async throws {
            throw CommandFailure("The example is not here yet.")
        }
    }
#endif
