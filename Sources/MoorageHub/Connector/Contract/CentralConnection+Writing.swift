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

    /// Runs work of an attach, and again while other transactions have the locks that it needs: up
    /// to 30 times in all.
    ///
    /// - Parameter work: Leaves no transaction open when it throws.
    /// - Throws: The last `conflict`, and any other error at once.
    public func retryingConflicts(_ work: () throws -> Void) throws {
        var attempt = 1
        while true {
            do {
                return try work()
            } catch let error as CentralError where error.kind == .conflict && attempt < 30 {
                attempt += 1
            }
        }
    }
}
