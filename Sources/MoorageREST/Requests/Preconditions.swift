import MoorageCore
import MoorageHub

/// In which version a row must be for a request to be carried out.
struct Preconditions {
    private let match: EntityTags?
    private let noneMatch: EntityTags?

    init(_ request: RESTRequest) throws(RESTProblem) {
        match = try EntityTags("If-Match", of: request)
        noneMatch = try EntityTags("If-None-Match", of: request)
    }

    /// Throws for a request that is about several rows.
    static func refuse(in request: RESTRequest) throws(RESTProblem) {
        for name in ["If-Match", "If-None-Match"] where !request.values(of: name).isEmpty {
            throw .preconditionOfMany(name)
        }
    }

    /// What the hub checks in the transaction of the write.
    func ofWrite() throws(RESTProblem) -> RowPrecondition {
        switch (match, noneMatch) {
        case (nil, nil): .none
        case (.any?, nil): .exists
        case (let tags?, nil): .isOneOf(tags.strong)
        case (nil, .any?): .isAbsent
        case (nil, let tags?): .isNoneOf(tags.all)
        case (_?, _?): throw .twoPreconditions
        }
    }

    enum Verdict: Hashable {
        case met
        /// 412.
        case changed
        /// 304.
        case notModified
    }

    /// For a request that reads a row, which exists.
    func verdict(on etag: String) -> Verdict {
        let isSame = { (text: String) in text.hasSameBytes(as: etag) }
        if let match, match != .any, !match.strong.contains(where: isSame) { return .changed }
        if let noneMatch, noneMatch == .any || noneMatch.all.contains(where: isSame) {
            return .notModified
        }
        return .met
    }
}
