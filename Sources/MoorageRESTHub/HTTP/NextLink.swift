import Foundation
import MoorageWire

/// The address of the next page in the header `Link` (RFC 8288).
enum NextLink {
    /// - Parameters:
    ///   - page: The address of this page.
    ///   - path: The collection, for the error.
    /// - Returns: `nil` where there is no next page.
    /// - Throws: ``HubError`` where it is at another server: the rows behind it are not here, so
    ///   this page must not count as the last one.
    static func url(
        _ header: String, from page: URL, of path: String
    ) throws(HubError) -> URL? {
        guard let link = links(header).first(where: \.isNext) else { return nil }
        return try self.url(to: link.target, from: page, of: path)
    }

    /// - Throws: ``HubError`` for an address at another server.
    static func url(
        to target: String, from page: URL, of path: String
    ) throws(HubError) -> URL {
        guard let url = URL(string: target, relativeTo: page)?.absoluteURL,
            url.user == nil, url.password == nil, isSameServer(url, page)
        else { throw .restLinkElsewhere(path) }
        return url
    }

    /// Whether a text is an address, and no cursor. A cursor in base64 may begin with `/`.
    static func isAddress(_ text: String) -> Bool {
        text.contains("://") || text.hasPrefix("?") || text.hasPrefix("/") && text.contains("?")
    }

    private static func isSameServer(_ one: URL, _ other: URL) -> Bool {
        func port(_ url: URL) -> Int {
            url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
        }
        return one.scheme?.lowercased() == other.scheme?.lowercased()
            && one.host?.lowercased() == other.host?.lowercased() && port(one) == port(other)
    }

    private struct Link {
        let target: String
        /// Without quotes.
        let parameters: [String]

        var isNext: Bool {
            parameters.contains { parameter in
                let parts = parameter.lowercased().split(separator: "=", maxSplits: 1)
                return parts.count == 2 && parts[0].trimmingCharacters(in: .whitespaces) == "rel"
                    && parts[1].split(separator: " ").contains("next")
            }
        }
    }

    private static func links(_ header: String) -> [Link] {
        var links: [Link] = []
        var rest = header[...]
        while let begin = rest.firstIndex(of: "<"), let end = rest[begin...].firstIndex(of: ">") {
            let target = String(rest[rest.index(after: begin)..<end])
            var place = rest.index(after: end)
            var parameters = [""]
            var isQuoted = false
            // A comma or a semicolon in quotes is part of a value.
            while place < rest.endIndex, isQuoted || rest[place] != "," {
                switch rest[place] {
                case "\"": isQuoted.toggle()
                case ";" where !isQuoted: parameters.append("")
                case let character: parameters[parameters.count - 1].append(character)
                }
                place = rest.index(after: place)
            }
            links.append(Link(target: target, parameters: parameters))
            rest = rest[place...]
        }
        return links
    }
}
