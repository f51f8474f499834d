package import Foundation
import MoorageSupport

/// Why a URL cannot be the address of a server. The client and the command line keep to one rule.
package enum AddressFault: Hashable, Sendable {
    /// It is no `http` or `https` URL with a host, or it has a user, a query or a fragment.
    case notServer
    /// The secret and rows would go unencrypted to this host.
    case plainHTTP(host: String)

    /// What is wrong with an address; `nil` if nothing is.
    ///
    /// - Parameter allowsPlainHTTP: Whether secret and rows may go unencrypted over a network.
    package static func of(_ url: URL, allowsPlainHTTP: Bool) -> AddressFault? {
        let scheme = url.scheme?.lowercased() ?? ""
        guard ["http", "https"].contains(scheme), let host = url.host, !host.isEmpty,
            url.user == nil, url.password == nil, url.query == nil, url.fragment == nil
        else { return .notServer }
        guard scheme == "https" || allowsPlainHTTP || Loopback.contains(host) else {
            return .plainHTTP(host: host)
        }
        return nil
    }
}
