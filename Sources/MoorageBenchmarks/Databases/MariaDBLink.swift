import CMariaDB
import Foundation

/// A libmariadb connection: what a program without Moorage would use.
final class MariaDBLink {
    private let handle: UnsafeMutablePointer<MYSQL>?

    init(_ url: String) throws {
        handle = mysql_init(nil)
        guard let parts = URLComponents(string: url), let host = parts.host else {
            throw BenchmarkFailure("MOORAGE_TEST_MARIADB is no URL.")
        }
        let port = UInt32(clamping: parts.port ?? 3306)
        let name = String(parts.path.dropFirst())
        guard
            mysql_real_connect(
                handle, host, parts.user, parts.password, name, port, nil,
                UInt(CLIENT_MULTI_STATEMENTS)) != nil
        else { throw failure() }
    }

    deinit { mysql_close(handle) }

    /// Runs statements, each a transaction of its own, and passes over what they answer.
    func run(_ sql: String) throws {
        guard mysql_query(handle, sql) == 0 else { throw failure() }
        while true {
            if let result = mysql_store_result(handle) { mysql_free_result(result) }
            switch mysql_next_result(handle) {
            case 0: continue
            case -1: return
            default: throw failure()
            }
        }
    }

    private func failure() -> BenchmarkFailure {
        BenchmarkFailure(String(cString: mysql_error(handle)))
    }
}
