#if Server
    import GRDB
    import MoorageConfiguration

    extension DatabaseQueue {
        /// Opens an app's SQLite file as the commands do: they wait ten seconds for a lock.
        convenience init(openingAt path: String, readonly: Bool = false) throws(CommandFailure) {
            var configuration = Configuration()
            configuration.readonly = readonly
            configuration.busyMode = .timeout(10)
            do {
                try self.init(path: path, configuration: configuration)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
                throw CommandFailure.notDatabase(path)
            } catch {
                throw CommandFailure.unopenableFile(path)
            }
        }
    }
#endif
