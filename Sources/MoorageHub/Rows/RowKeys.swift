import MoorageCore
import MoorageSupport
import MoorageWire

/// Whole numbers for new rows that name no key. A hub reserves them in blocks, in transactions of
/// their own: requests that insert into one table do not wait for each other. What is left when it
/// ends is used by nobody.
final class RowKeys: Sendable {
    private struct Name: Hashable {
        /// A database that was restored may have handed out the same keys again.
        let epoch: String
        let table: Int
    }

    private let left = Locked<[Name: ClosedRange<Int64>]>([:])

    /// More keys than a request mostly needs, and few enough to leave unused.
    private static let block = 32
    private static let maximumAttempts = 6

    /// - Throws: ``RowProblem`` where the table has no free key.
    func take(
        _ count: Int, of table: AttachedTable, in epoch: Epoch, on connection: any CentralConnection
    ) throws -> [Int64] {
        let name = Name(epoch: epoch.text, table: table.number)
        var keys: [Int64] = []
        while keys.count < count {
            if let known = left.withLock({ $0.removeValue(forKey: name) }) {
                let part = known.prefix(count - keys.count)
                keys += part
                if let last = part.last, last < known.upperBound {
                    put(back: (last + 1)...known.upperBound, name)
                }
            } else {
                let missing = count - keys.count
                put(back: try reserve(missing, of: table, on: connection), name)
            }
        }
        return keys
    }

    /// Forgets what is left of a table, because others have used some of it.
    func forget(_ table: AttachedTable, in epoch: Epoch) {
        left.withLock { _ = $0.removeValue(forKey: Name(epoch: epoch.text, table: table.number)) }
    }

    /// Another request may have put some back meanwhile: those of one of the two are given up.
    private func put(back keys: ClosedRange<Int64>, _ name: Name) {
        left.withLock { $0[name] = keys }
    }

    private func reserve(
        _ missing: Int, of table: AttachedTable, on connection: any CentralConnection
    ) throws -> ClosedRange<Int64> {
        let numbers = KeyNumbers(connection: connection)
        for count in missing < Self.block ? [Self.block, missing] : [missing] {
            for _ in 1...Self.maximumAttempts {
                do {
                    let keys = try connection.writing { try numbers.reserve(count, of: table) }
                    if let keys { return keys }
                    break
                } catch let error as CentralError where error.kind == .conflict {
                    continue
                } catch let error as CentralError {
                    switch error.kind {
                    // The last keys of a small type may be fewer than a block.
                    case .failed, .refused: break
                    case .conflict, .unavailable, .invalidCheckpoint: throw error
                    }
                    break
                }
            }
        }
        throw RowProblem(Refusal.noFreeKey(in: table.name))
    }
}
