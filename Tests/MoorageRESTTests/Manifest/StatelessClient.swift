import MoorageCore
import MoorageHub
import TestSupport

@testable import MoorageREST

/// A client that keeps the rows of the table `note` in memory, and of the hub nothing but the
/// version of each row.
struct StatelessClient {
    struct Row: Equatable {
        var name: String
        /// The hub's version; `nil` for a row that the client made.
        var version: String?
        var isChanged = false
        var isDeleted = false
    }

    /// Whose change counts where both changed a row.
    enum Winner: CaseIterable {
        case client, hub
    }

    /// How the client asks.
    struct Way {
        /// Rows of the client in one request.
        var chunk: Int
        /// Rows of the hub in one answer.
        var limit: Int
        /// Whether it first compares digests of ranges.
        var comparesRanges: Bool
    }

    var rows: [Int: Row] = [:]
    let user: String

    init(user: String = "ann") { self.user = user }

    // MARK: Manifest

    /// What the client has to do, by the sections of all answers.
    struct Differences {
        var keys: [ManifestSection: Set<Int>] = [:]
        var versions: [Int: String] = [:]
        var requests = 0

        subscript(_ section: ManifestSection) -> [Int] { (keys[section] ?? []).sorted() }
    }

    /// Ranges of keys that have all rows of the client.
    private func ranges(_ way: Way) -> [(after: Int?, upTo: Int?)] {
        let ids = rows.keys.sorted()
        var bounds: [Int?] = [nil]
        for place in stride(from: way.chunk - 1, to: ids.count - 1, by: way.chunk) {
            bounds.append(ids[place])
        }
        bounds.append(nil)
        return zip(bounds, bounds.dropFirst()).map { ($0, $1) }
    }

    private func ids(_ range: (after: Int?, upTo: Int?)) -> [Int] {
        rows.keys.filter { $0 > range.after ?? .min && $0 <= range.upTo ?? .max }.sorted()
    }

    private func digest(_ ids: [Int]) -> String {
        var digest = SHA256()
        let lines = ids.map { "\($0)\0\(rows[$0]?.version ?? "")\n" }.sorted()
        digest.add(lines.joined().utf8)
        return digest.hex
    }

    func differences(_ bench: RESTBench, _ way: Way) async throws -> Differences {
        var result = Differences()
        var ranges = ranges(way)
        if way.comparesRanges { ranges = try await differing(ranges, bench, &result) }
        for range in ranges {
            var after = range.after.map(String.init) ?? "null"
            repeat {
                let from = Int(after) ?? .min
                let entries = ids(range).filter { $0 > from }.map(entry)
                let answer = try await bench.manifest(
                    """
                    {"tables":{"note":{"after":\(after),"limit":\(way.limit),
                     "upTo":\(range.upTo.map(String.init) ?? "null"),
                     "rows":[\(entries.joined(separator: ","))]}}}
                    """, as: user
                ).table("note")
                result.requests += 1
                result.add(answer)
                after = answer["next"]?.text ?? "null"
            } while after != "null"
        }
        // A row may have been named by one request and found by another.
        result.keys[.missingThere]?.subtract(rows.keys)
        return result
    }

    private func entry(_ id: Int) -> String {
        var text = #"{"key":\#(id)"#
        guard let row = rows[id] else { return text + "}" }
        if let version = row.version { text += #","version":"\#(version)""# }
        text += row.isDeleted ? #","deleted":true"# : #","synced":\#(!row.isChanged)"#
        return text + "}"
    }

    /// The ranges in which the client changed something, or the hub has something else.
    private func differing(
        _ ranges: [(after: Int?, upTo: Int?)], _ bench: RESTBench, _ result: inout Differences
    ) async throws -> [(after: Int?, upTo: Int?)] {
        func text(_ key: Int?) -> String { key.map(String.init) ?? "null" }
        let body = ranges.map {
            #"{"after":\#(text($0.after)),"upTo":\#(text($0.upTo)),"digest":"\#(digest(ids($0)))"}"#
        }
        let answer =
            try await bench.manifest(
                #"{"tables":{"note":{"ranges":[\#(body.joined(separator: ","))]}}}"#, as: user
            ).table("note")["ranges"]?.elements ?? []
        result.requests += 1
        return zip(ranges, answer).filter { range, result in
            result["result"]?.string != "same"
                || ids(range).contains { rows[$0].map { $0.isChanged || $0.isDeleted } ?? false }
        }.map(\.0)
    }

    // MARK: Changes

    /// Tells the hub what the client did, and takes over what the hub has.
    ///
    /// - Parameter isAnswerLost: Whether the hub's answer never arrives.
    mutating func synchronise(
        _ bench: RESTBench, _ differences: Differences, _ winner: Winner, isAnswerLost: Bool = false
    ) async throws {
        var lists: [String: [String]] = [:]
        var gets = Set(differences[.newerHere] + differences[.missingThere])
        for id in differences[.missingHere] { lists["add", default: []].append(text(id, nil)) }
        for id in differences[.newerThere] { change(id, differences, &lists) }
        for id in differences[.conflicting] {
            if winner == .hub { gets.insert(id) } else { change(id, differences, &lists) }
        }
        for id in differences[.gone] {
            let mayStay =
                winner == .client && rows[id].map { $0.isChanged && !$0.isDeleted } == true
            if mayStay { lists["add", default: []].append(text(id, nil)) } else { rows[id] = nil }
        }
        lists["get"] = gets.sorted().map(String.init)
        let body = lists.map { #""\#($0)":[\#($1.joined(separator: ","))]"# }
        let answer = try await bench.synchronise(
            #"{"tables":{"note":{\#(body.joined(separator: ","))}}}"#, as: user)
        guard answer.status == 200, !isAnswerLost else { return }
        take(answer.table("note"), lists)
    }

    private func change(
        _ id: Int, _ differences: Differences, _ lists: inout [String: [String]]
    ) {
        let version = differences.versions[id]
        if rows[id]?.isDeleted == true {
            let member = version.map { #","version":"\#($0)""# } ?? ""
            lists["delete", default: []].append(#"{"key":\#(id)\#(member)}"#)
        } else {
            lists["update", default: []].append(text(id, version))
        }
    }

    private func text(_ id: Int, _ version: String?) -> String {
        let etag = version.map { #","$etag":"\#($0)""# } ?? ""
        return #"{"id":\#(id),"name":"\#(rows[id]?.name ?? "")"\#(etag)}"#
    }

    private mutating func take(_ answer: JSON, _ lists: [String: [String]]) {
        for list in ["add", "update", "get"] {
            for result in answer[list]?.elements ?? [] {
                guard let row = result["row"], let id = row["id"].flatMap({ Int($0.text) })
                else { continue }
                rows[id] = Row(
                    name: row["name"]?.string ?? "", version: row["$etag"]?.string)
            }
        }
        for (id, result) in zip(lists["get"] ?? [], answer["get"]?.elements ?? [])
        where result["status"]?.text == "404" {
            if let id = Int(id) { rows[id] = nil }
        }
        let deleted = (lists["delete"] ?? []).compactMap { try? JSON(parsing: $0)["key"]?.text }
        for (id, result) in zip(deleted, answer["delete"]?.elements ?? [])
        where result["status"]?.text == "204" {
            if let id = Int(id) { rows[id] = nil }
        }
    }
}

extension StatelessClient.Differences {
    fileprivate mutating func add(_ answer: JSON) {
        for section in ManifestSection.allCases {
            for item in answer[section.rawValue]?.elements ?? [] {
                guard let id = item["key"].flatMap({ Int($0.text) }) else { continue }
                keys[section, default: []].insert(id)
                versions[id] = item["version"]?.string ?? versions[id]
            }
        }
    }
}
