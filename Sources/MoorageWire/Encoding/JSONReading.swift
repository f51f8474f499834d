import MoorageCore

/// Reads a JSON document member by member; every error names the path, never a value.
struct JSONReading {
    let json: JSON
    private let path: JSONPath

    init(_ json: JSON, path: JSONPath = .document) {
        self.json = json
        self.path = path
    }

    /// Parses bytes from outside.
    init(
        parsing bytes: [UInt8], memory: DecodingMemory = DecodingMemory()
    ) throws(HubError) {
        var refusal: HubError?
        do {
            let json = try JSON(parsing: bytes) { count in
                do throws(HubError) {
                    try memory.use(count)
                    return true
                } catch {
                    refusal = error
                    return false
                }
            }
            self.init(json)
        } catch {
            throw refusal ?? HubError.notJSON(error)
        }
    }

    func error(_ what: String) -> HubError {
        HubError(.malformed, "The message is malformed at \(path.text): \(what).")
    }

    /// An element of this array.
    func element(_ index: Int, _ json: JSON) -> JSONReading {
        JSONReading(json, path: .element(index, of: path))
    }

    /// Refuses what is no object. Members that this version does not know are ignored, so that a
    /// later version can say more.
    func checkObject() throws(HubError) {
        guard case .object = json else { throw error("an object is missing") }
    }

    func member(_ name: String) throws(HubError) -> JSONReading {
        guard let value = json[name] else { throw error("the member \(name) is missing") }
        return JSONReading(value, path: .member(name, of: path))
    }

    /// `nil` when the member is missing or null.
    func optional(_ name: String) -> JSONReading? {
        guard let value = json[name] else { return nil }
        if case .null = value { return nil }
        return JSONReading(value, path: .member(name, of: path))
    }

    func string() throws(HubError) -> String {
        guard case .string(let text) = json else { throw error("text is missing") }
        return text
    }

    /// A replica's id: a UUID in lower case.
    func replicaID() throws(HubError) -> String {
        let id = try string()
        guard UUIDText.bytes(id).map(UUIDText.text) == id else {
            throw error("a replica's id is no lower-case UUID")
        }
        return id
    }

    func bool() throws(HubError) -> Bool {
        guard case .bool(let flag) = json else { throw error("true or false is missing") }
        return flag
    }

    /// A member that may be missing for `false`.
    func flag(_ name: String) throws(HubError) -> Bool { try optional(name)?.bool() ?? false }

    func int64() throws(HubError) -> Int64 {
        guard case .number(let text) = json, let number = Int64(text) else {
            throw error("a 64-bit integer is missing")
        }
        return number
    }

    /// Milliseconds since 1970, by one clock or the other.
    func time<Time: ClockTime>() throws(HubError) -> Time { Time(milliseconds: try int64()) }

    /// A count, never negative.
    func count() throws(HubError) -> Int {
        guard let number = Int(exactly: try int64()), number >= 0 else {
            throw error("a count is missing")
        }
        return number
    }

    /// The elements. Each becomes a reading when it is asked for.
    func array() throws(HubError) -> LazyMapCollection<Range<Int>, JSONReading> {
        guard case .array(let elements) = json else { throw error("an array is missing") }
        return elements.indices.lazy.map { element($0, elements[$0]) }
    }

    func map<Element>(
        _ element: (JSONReading) throws(HubError) -> Element
    ) throws(HubError) -> [Element] {
        var result: [Element] = []
        for reading in try array() { result.append(try element(reading)) }
        return result
    }

    func strings() throws(HubError) -> [String] {
        try map { (element) throws(HubError) in try element.string() }
    }

    func object() throws(HubError) -> [(name: String, value: JSONReading)] {
        guard case .object(let members) = json else { throw error("an object is missing") }
        return members.map { ($0.name, JSONReading($0.value, path: .member($0.name, of: path))) }
    }
}
