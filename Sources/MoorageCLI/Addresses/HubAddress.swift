#if Server
    import Foundation
    import MoorageServer

    /// Where a replica finds its hub: a server, or the central database itself (the hub then runs in
    /// this process).
    enum HubAddress: Hashable {
        case server(URL)
        case direct(DatabaseAddress)

        /// - Parameter allowPlainHTTP: Whether secret and rows may go unencrypted over a network.
        init(
            argument text: String, environment: [String: String], allowPlainHTTP: Bool = false
        ) throws(CommandFailure) {
            guard text.hasPrefix("http://") || text.hasPrefix("https://") else {
                let schemes = ["sqlite:", "postgres", "mysql:", "mariadb:", "sqlserver:", "$"]
                guard schemes.contains(where: text.hasPrefix) else { throw Self.failure }
                self = .direct(try DatabaseAddress(argument: text, environment: environment))
                return
            }
            guard let url = URL(string: text), let host = url.host, !host.isEmpty,
                url.user == nil, url.password == nil, url.query == nil, url.fragment == nil
            else { throw Self.failure }
            guard ["", "/"].contains(url.path) else {
                throw CommandFailure(
                    "The address of a server has no path.", at: text,
                    next: "Leave \(url.path) out: write \(text.dropLast(url.path.utf8.count)).",
                    exit: .usage)
            }
            let address = ListenAddress(host: host, port: url.port ?? 80)
            guard url.scheme == "https" || address.isLoopback || allowPlainHTTP else {
                throw CommandFailure(
                    "Plain HTTP would send secret and rows unencrypted to \(host).",
                    next: "Use https://, or --allow-plain-http on a network that is private.",
                    exit: .usage)
            }
            self = .server(url)
        }

        private static let failure = CommandFailure(
            "This is no hub.",
            next: """
                Write `http://host:port` or `https://host` for a server, or a database URL \
                (`sqlite:path`, `postgres://…`, `mysql://…`) to work on the central database directly.
                """,
            exit: .usage)
    }
#endif
