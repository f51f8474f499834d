import MoorageWire

/// What is wrong with the models, as far as it shows without the file.
struct DeclarationCheck {
    let models: [DeclaredModel]
    let headers: [(name: String, value: String)]
    /// The word before the credentials; `nil` where there are none.
    let scheme: String?

    /// Headers that the client sets.
    private static let own: Set = [
        "accept-encoding", "content-length", "host",
        "idempotency-key", "if-match", "if-modified-since", "if-none-match",
    ]

    var fault: HubError? {
        var tables: Set<String> = []
        for model in models {
            for table in model.tables {
                guard tables.insert(table.lowercased()).inserted else {
                    return .declaredTwice(table)
                }
            }
            for path in [model.path] + [model.settings.batch?.path].compactMap({ $0 }) {
                guard Self.isPath(path) else { return .pathUnusable(path, of: model.coder.table) }
            }
            if model.settings.inserts == .put, model.settings.ids == .server {
                return .putWithoutID(model.coder.table)
            }
        }
        let isSendable = headers.allSatisfy { name, value in
            !name.isEmpty && !Self.own.contains(name.lowercased())
                && (scheme == nil || name.lowercased() != "authorization")
                && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3A }
                && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        }
        let isScheme = (scheme ?? "").utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isSendable && isScheme ? nil : .headerUnsendable
    }

    private static func isPath(_ path: String) -> Bool {
        let steps = path.split(separator: "/")
        return !steps.isEmpty && !steps.contains { $0 == "." || $0 == ".." }
            && !path.contains { $0 == "?" || $0 == "#" }
    }
}
