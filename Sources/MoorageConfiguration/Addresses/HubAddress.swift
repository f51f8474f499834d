#if Server
    package import Foundation
    import Moorage

    /// Where a replica finds its hub: a server, or the central database itself (the hub then runs in
    /// this process).
    package enum HubAddress: Hashable, Sendable {
        case server(URL)
        case direct(DatabaseAddress)

        /// - Parameter allowPlainHTTP: Whether secret and rows may go unencrypted over a network.
        package init(
            argument text: String, environment: [String: String], allowPlainHTTP: Bool = false
        ) throws(CommandFailure) {
            guard text.hasPrefix("http://") || text.hasPrefix("https://") else {
                let schemes = ["sqlite:", "postgres", "mysql:", "mariadb:", "sqlserver:", "$"]
                guard schemes.contains(where: text.hasPrefix) else { throw CommandFailure.notHub }
                self = .direct(try DatabaseAddress(argument: text, environment: environment))
                return
            }
            guard let url = URL(string: text) else { throw CommandFailure.notHub }
            let fault = AddressFault.of(url, allowsPlainHTTP: allowPlainHTTP)
            guard fault != .notServer else { throw CommandFailure.notHub }
            guard ["", "/"].contains(url.path) else {
                throw CommandFailure.serverWithPath(text, path: url.path)
            }
            if case .plainHTTP(let host) = fault { throw CommandFailure.plainHTTP(to: host) }
            self = .server(url)
        }
    }
#endif
