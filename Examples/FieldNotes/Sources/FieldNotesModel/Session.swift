import Moorage
import Observation

/// Who is signed in. An app gets the token from its own sign-in, and keeps it in the keychain.
@MainActor @Observable public final class Session {
    /// `nil` while nobody is signed in: the app works on, and syncs later.
    public var token: String?

    public init(token: String? = nil) { self.token = token }

    /// What the replica shows to its hub with each request.
    public nonisolated var credentials: HubCredentials {
        .token { _ in
            guard let token = await self.token else { throw SignedOut() }
            return token
        }
    }
}

/// Nobody is signed in.
public struct SignedOut: Error {}
