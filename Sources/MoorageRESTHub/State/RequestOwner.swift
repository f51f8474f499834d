import Foundation
import MoorageSupport

/// Who sends the requests of a file: one connection of one process. An app and its extension may
/// share the file.
///
/// A request of another owner may be on its way. Until it has an answer, nobody can find out whether
/// it arrived.
final class RequestOwner: Sendable {
    /// How long a request may be on its way, as far as others wait for it.
    static let longest = 60_000

    /// The process, and this object in it.
    let name: String
    private static let living = Locked<Set<String>>([])

    init() {
        let name = "\(ProcessInfo.processInfo.processIdentifier) \(UUID().uuidString)"
        self.name = name
        Self.living.withLock { _ = $0.insert(name) }
    }

    deinit {
        let name = name
        Self.living.withLock { _ = $0.remove(name) }
    }

    /// Whether a request of another owner may still be on its way.
    func waits(for record: RequestRecord, at now: Int64) -> Bool {
        !record.isDone && record.owner != name && record.isRecent(at: now)
            && Self.isLiving(record.owner)
    }

    private static func isLiving(_ name: String) -> Bool {
        guard let process = name.split(separator: " ").first.flatMap({ Int32($0) }), process > 0
        else { return false }
        if process == ProcessInfo.processInfo.processIdentifier {
            return living.withLock { $0.contains(name) }
        }
        // A process may hide from this one, and then it counts as one that runs.
        return kill(process, 0) == 0 || errno != ESRCH
    }

    /// Milliseconds since 1970.
    static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}
