#if Server
    package import Foundation
    import Moorage

    /// Where a replica finds its hub: a server, or the central database itself (the hub then runs in
    /// this process).
    package enum HubAddress: Hashable, Sendable {
        case server(URL)
        case direct(DatabaseAddress)

        private static let serverSchemes = ["http://", "https://"]
        private static let databaseSchemes = [
            "sqlite:", "postgres", "mysql:", "mariadb:", "sqlserver:", "$",
        ]

        /// - Parameter allowPlainHTTP: Whether secret and rows may go unencrypted over a network.
        package init(
            argument text: String, environment: [String: String], allowPlainHTTP: Bool = false
        ) throws(CommandFailure) {
            guard Self.serverSchemes.contains(where: text.hasPrefix) else {
                guard Self.databaseSchemes.contains(where: text.hasPrefix) else {
                    throw CommandFailure.notHub(Self.shown(text))
                }
                self = .direct(try DatabaseAddress(argument: text, environment: environment))
                return
            }
            guard let url = URL(string: text) else { throw CommandFailure.notHub(Self.shown(text)) }
            let fault = AddressFault.of(url, allowsPlainHTTP: allowPlainHTTP)
            guard fault != .notServer else { throw CommandFailure.notHub(Self.shown(text)) }
            guard ["", "/"].contains(url.path) else {
                throw CommandFailure.serverWithPath(text, path: url.path)
            }
            if case .plainHTTP(let host) = fault { throw CommandFailure.plainHTTP(to: host) }
            self = .server(url)
        }

        /// Whether the text is the address of a hub, and so no file.
        package static func isNamed(by text: String) -> Bool {
            (serverSchemes + ["postgres://", "postgresql://", "sqlite:", "mysql:", "mariadb:"])
                .contains(where: text.hasPrefix)
        }

        /// The address for people.
        package var description: String {
            switch self {
            case .server(let url): Self.shown(url.absoluteString)
            case .direct(let database): database.description
            }
        }

        /// What may be an address, for people: a file may remember any text. It lacks a database's
        /// password, and of a server all that is before an `@` or behind a `?` or `#`.
        package static func shown(_ text: String) -> String {
            if databaseSchemes.contains(where: text.hasPrefix) {
                return TextTable.shown(DatabaseAddress.withoutPassword(text))
            }
            var shown = text
            if let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) {
                let scheme = serverSchemes.first(where: text.hasPrefix) ?? ""
                shown = "\(scheme)***\(text[at...])"
            }
            return TextTable.shown(
                String(shown.unicodeScalars.prefix { $0 != "?" && $0 != "#" }))
        }
    }
#endif
