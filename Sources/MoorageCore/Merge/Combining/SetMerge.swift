/// Merges JSON arrays as sets. The result has the elements that both sides have or that one side
/// added. An element that one side removed is gone. Without a base, the result is the union.
enum SetMerge {
    static func merge(base: Value?, mine: Value, theirs: Value) -> ValueMerge {
        guard let mine = elements(mine), let theirs = elements(theirs) else { return .undecided }
        let base = base.flatMap(elements) ?? []
        let started = Set(base.map(\.identity))
        let asked = Set(mine.map(\.identity))
        var known: Set<String> = []
        var writer = JSONWriter()
        writer.array { array in
            for element in theirs
            where asked.contains(element.identity) || !started.contains(element.identity) {
                if known.insert(element.identity).inserted { array.json(element.json) }
            }
            for element in mine where !started.contains(element.identity) {
                if known.insert(element.identity).inserted { array.json(element.json) }
            }
        }
        return .value(.text(String(decoding: writer.bytes, as: UTF8.self)))
    }

    private struct Element {
        let json: JSON
        /// Equal for elements of the same structure.
        let identity: String
    }

    /// The elements; NULL is the empty set. `nil` for a value that is not an array.
    private static func elements(_ value: Value) -> [Element]? {
        if value.isNull { return [] }
        guard case .text(let text) = value, let json = try? JSON(parsing: text),
            case .array(let elements) = json
        else { return nil }
        return elements.map { json in
            var fingerprint = Fingerprint()
            json.addStructure(to: &fingerprint)
            return Element(json: json, identity: fingerprint.hex)
        }
    }
}
