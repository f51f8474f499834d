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

    func sentence(_ code: UInt32) -> String {
        switch self {
        case .notOffered:
            """
            The central server takes no encrypted connection, and the URL asks for one (\(code)). Set up TLS on the \
            server, or leave `tls` out of the URL.
            """
        case .authority:
            """
            No known authority has signed the certificate of the central server (\(code)). Name the file of the \
            authority that has in the URL with `ca=`; `tls=required` encrypts without a check.
            """
        case .certificate:
            """
            The certificate of the central server is not valid for the host in the URL, or is out of date \
            (\(code)). Use the host that the certificate names, or renew it; `tls=required` encrypts without a check.
            """
        }
    }
}
