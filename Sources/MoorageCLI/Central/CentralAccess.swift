#if Server
    import Foundation
    import MoorageConfiguration
    import MoorageHub
    import MoorageMySQL
    import MooragePostgres
    import MoorageSQLite

    /// Opens the central database that an address names.
    enum CentralAccess {
        /// What becomes of a SQLite file that is missing.
        enum MissingFile {
            case fails
            /// It is created.
            case isMade
            /// An empty database in memory replaces it.
            case isEmpty
        }

        static func open(
            _ address: DatabaseAddress, connections: Int = 8, missing: MissingFile = .fails
        ) throws -> any CentralDatabase {
            switch address {
            case .sqlite(let path):
                if !FileManager.default.fileExists(atPath: path) {
                    switch missing {
                    case .fails: throw CommandFailure.noSQLiteFile(path)
                    case .isEmpty: return try SQLiteDatabase()
                    case .isMade: break
                    }
                }
                return try SQLiteDatabase(path: path)
            case .postgres(let url):
                var options = PostgresDatabase.Options()
                options.maximumConnections = connections
                return try PostgresDatabase(url: url, options: options)
            case .mysql(let url):
                var options = MySQLDatabase.Options()
                options.maximumConnections = connections
                do {
                    return try MySQLDatabase(url: url, options: options)
                } catch let error as CentralError {
                    // Nothing is opened yet, so the URL itself is invalid.
                    throw CommandFailure(error.message, exit: .usage)
                }
            }
        }

        static func hub(
            _ address: DatabaseAddress, _ settings: MoorageConfiguration
        ) throws -> Hub {
            Hub(
                database: try open(address, connections: settings.centralConnections),
                configuration: settings.hub)
        }
    }
#endif
