import MoorageCore

/// Counts about how much memory a body needs, before anything is made from it. A few bytes can
/// become many values.
///
/// One task reads a body.
final class BodyMemory {
    /// At least this many bytes go into one call of `reserve`.
    private static let pieceBytes = 4_096

    private let reserve: (Int) throws -> Void
    private var used = 0
    private var reserved = 0
    /// Why the server refused memory.
    private(set) var refusal: (any Error)?

    /// - Parameter reserve: Called with the memory that was used, so that a server can count many
    ///   bodies together.
    init(reserve: @escaping (Int) throws -> Void) { self.reserve = reserve }

    /// - Returns: Whether the body may use these bytes.
    func use(_ count: Int) -> Bool {
        guard count <= JSON.maximumMemory - used else { return false }
        used += count
        guard used - reserved >= Self.pieceBytes else { return true }
        do {
            try reserve(used - reserved)
        } catch {
            refusal = error
            return false
        }
        reserved = used
        return true
    }

    /// What to throw where ``use(_:)`` refused.
    var error: any Error { refusal ?? RESTProblem.needsTooMuchMemory(most: JSON.maximumMemory) }
}

extension RESTRequest {
    /// The body as a JSON document.
    ///
    /// - Throws: ``RESTProblem`` for a body that is none, and what the server throws where it has no
    ///   memory for it.
    func document(_ memory: BodyMemory) throws -> JSON {
        guard !body.isEmpty else { throw RESTProblem.emptyBody }
        do throws(JSONError) {
            return try JSON(parsing: body, reserve: memory.use)
        } catch {
            if error.isTooLarge { throw memory.error }
            throw RESTProblem.notJSON(error.message, at: error.offset)
        }
    }
}
