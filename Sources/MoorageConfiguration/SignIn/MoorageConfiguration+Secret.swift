#if Server
    package import Foundation

    extension MoorageConfiguration {
        /// What a client shows to a server.
        package func clientSecret(for url: URL) throws(CommandFailure) -> String {
            guard let secret = secret?.text else {
                throw CommandFailure.noSecret(for: url.absoluteString)
            }
            return secret
        }
    }
#endif
