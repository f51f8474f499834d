/// Why a connection cannot be encrypted as its URL asks. A later attempt would fail, too.
enum TLSProblem: Hashable, Sendable {
    case notOffered
    /// No authority that is known here has signed the server's certificate.
    case authority
    /// The certificate names another host, or has expired.
    case certificate

    /// - Parameter words: The library's message for the attempt. Other messages may be about a
    ///   broken connection.
    init?(_ words: String) {
        let words = words.lowercased()
        if words.contains("server does not support it") {
            self = .notOffered
        } else if ["self-signed", "self signed", "issuer", "unable to verify"].contains(where: {
            words.contains($0)
        }) {
            self = .authority
        } else if words.contains("certificate") {
            self = .certificate
        } else {
            return nil
        }
    }
}
