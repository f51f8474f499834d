import Foundation
import MoorageWire

/// What a replica shows to its hub: `Authorization: Bearer …`.
///
/// It prints as `<credentials>`, so that it cannot slip into a log.
public struct HubCredentials: Sendable, CustomStringConvertible, CustomReflectable {
    private let ask: @Sendable (_ refused: String?) async throws -> String

    /// A token that the app gets from its sign-in.
    ///
    /// The replica asks for it with each request, and once more if the hub refuses it. If the hub
    /// refuses the second one too, or the closure throws, the replica pauses and tries again later.
    /// The code is `unauthorized`, `unreachable` for a `URLError`, or that of a `HubError`. The
    /// app's data and its pending changes stay as they are.
    ///
    /// A sync waits for the closure: do not wait for the replica, or for a person, in it.
    ///
    /// - Parameter ask: Returns the token: at least one character, all of them printable ASCII. It
    ///   is called for each request, on any thread. `refused` is `nil` at first. If the hub refuses
    ///   the token, it is called once more with that token: return a fresh one then.
    public static func token(
        _ ask: @escaping @Sendable (_ refused: String?) async throws -> String
    ) -> HubCredentials {
        HubCredentials(ask: ask)
    }

    /// Always the same secret.
    ///
    /// - Parameter secret: What the operator gave the app: at least one character, all of them
    ///   printable ASCII. With any other text each request fails as `unauthorized`.
    public static func secret(_ secret: String) -> HubCredentials {
        HubCredentials { _ in secret }
    }

    private init(ask: @escaping @Sendable (String?) async throws -> String) { self.ask = ask }

    /// Always `<credentials>`.
    public var description: String { "<credentials>" }
    /// A mirror that shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }

    func current(after refused: String?) async throws -> String {
        let credential: String
        do {
            credential = try await ask(refused)
        } catch {
            // A sign-in that its user cancels does not cancel the replica's own work.
            if Task.isCancelled { throw CancellationError() }
            if let error = error as? HubError { throw error }
            if (error as NSError).domain == NSURLErrorDomain {
                throw HubError.signInUnreachable
            }
            throw HubError.noToken
        }
        guard !credential.isEmpty, credential.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw HubError.unsendableToken
        }
        return credential
    }
}
