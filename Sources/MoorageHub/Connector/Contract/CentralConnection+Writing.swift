extension CentralConnection {
    /// Runs work in a write transaction of its own: all of it is committed, or nothing.
    func writing<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            try begin(.write)
            let result = try work()
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }
}
