import MoorageCore
import MoorageHub

@testable import MoorageREST

extension RESTBench {
    func manifest(_ body: String, as user: String = "ann") async throws -> RESTResponse {
        try await send("POST", "/v1/manifest", body: body, as: .init(subject: user))
    }

    func synchronise(
        _ body: String, _ headers: [(String, String)] = [], as user: String = "ann"
    ) async throws -> RESTResponse {
        try await send("POST", "/v1/synchronise", headers, body: body, as: .init(subject: user))
    }

    /// The version of a row; an empty text where there is none.
    func version(_ path: String) async throws -> String {
        let etag = try await send("GET", "/v1/tables/\(path)").json["$etag"]
        return etag?.string ?? ""
    }
}

extension RESTResponse {
    func table(_ name: String) -> JSON { json["tables"]?[name] ?? .null }

    /// The keys in each section of a manifest's answer that has some, and how many rows are the
    /// same: `gone: 3, "a"; same: 2`.
    func sections(_ table: String) -> String {
        let answer = self.table(table)
        var texts = ManifestSection.allCases.compactMap { section -> String? in
            let keys = answer[section.rawValue]?.elements.compactMap { $0["key"]?.text } ?? []
            return keys.isEmpty ? nil : "\(section.rawValue): \(keys.joined(separator: ", "))"
        }
        texts.append("same: \(answer["same"]?.text ?? "?")")
        return texts.joined(separator: "; ")
    }

    /// What became of each change: `add: 201 409; get: 200`.
    func changes(_ table: String) -> String {
        let answer = self.table(table)
        return ["add", "update", "delete", "get"].compactMap { name -> String? in
            let list = answer[name]?.elements ?? []
            if list.isEmpty { return nil }
            return "\(name): " + list.map(\.result).joined(separator: " ")
        }.joined(separator: "; ")
    }
}

extension JSON {
    /// The status of a write, with the code of its problem, and those of linked rows.
    fileprivate var result: String {
        var text = self["status"]?.text ?? "?"
        if let code = self["problem"]?["code"]?.string { text += " \(code)" }
        for (name, value) in self["$related"]?.members ?? [] {
            var parts = value.elements
            if case .object = value { parts = [value] }
            let results = parts.map(\.result).joined(separator: " ")
            text += parts.isEmpty ? " (\(name))" : " (\(name): \(results))"
        }
        return text
    }
}
