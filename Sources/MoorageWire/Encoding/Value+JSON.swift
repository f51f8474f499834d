public import MoorageCore

/// Values in JSON (docs/reference/protocol.md, Values). NULL is `null`, text is a string, and a
/// blob is `{"b": "<base64>"}`. An integer is a number without point or exponent, and a real is a
/// number with one.
extension Value {
    func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .integer(let number): writer.integer(number)
        case .real(let number): writeReal(number, to: &writer)
        case .text(let text): writer.string(text)
        case .blob(let bytes):
            writer.object {
                $0.name("b")
                $0.string(Base64.encode(bytes))
            }
        }
    }

    /// JSON has no infinities, but SQLite can store them. They travel by name, and the hub decides
    /// what to do with them.
    private func writeReal(_ number: Double, to writer: inout JSONWriter) {
        guard !number.isFinite else { return writer.real(number) }
        writer.object {
            $0.name("r")
            $0.string(number.isNaN ? "nan" : number > 0 ? "inf" : "-inf")
        }
    }

    init(_ reading: JSONReading) throws(HubError) { try self.init(reading.json, at: reading) }

    /// - Parameter reading: The place of the value, for an error alone. A page has many values, and
    ///   their paths would cost more than they do.
    fileprivate init(_ json: JSON, at reading: @autoclosure () -> JSONReading) throws(HubError) {
        switch json {
        case .null: self = .null
        case .string(let text): self = .text(text)
        case .number(let text): self = try Self.number(text, at: reading())
        case .object(let members):
            guard members.count == 1, case .string(let text) = members[0].value else {
                throw reading().error("no value")
            }
            switch (members[0].name, text) {
            case ("b", _):
                guard let bytes = Base64.decode(text) else { throw reading().error("no base64") }
                self = .blob(bytes)
            case ("r", "nan"): self = .real(.nan)
            case ("r", "inf"): self = .real(.infinity)
            case ("r", "-inf"): self = .real(-.infinity)
            default: throw reading().error("no value")
            }
        case .bool, .array: throw reading().error("no value")
        }
    }

    private static func number(
        _ text: String, at reading: @autoclosure () -> JSONReading
    ) throws(HubError) -> Value {
        guard text.utf8.contains(where: { $0 == 0x2E || $0 == 0x65 || $0 == 0x45 }) else {
            guard let number = Int64(text) else {
                throw reading().error("an integer beyond 64 bits")
            }
            return .integer(number)
        }
        guard let number = Double(text), number.isFinite else {
            throw reading().error("no 64-bit real")
        }
        return .real(number)
    }
}

extension RowKey {
    func write(to writer: inout JSONWriter) {
        writer.array { for value in values { value.write(to: &$0) } }
    }

    init(_ reading: JSONReading) throws(HubError) {
        let values = try reading.values()
        guard !values.isEmpty else { throw reading.error("an empty key") }
        self.init(values)
    }
}

extension Array where Element == Value {
    /// Values as a JSON array of their own, for storing.
    package func jsonText() -> String {
        var writer = JSONWriter()
        writer.values(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Reads what ``jsonText()`` wrote.
    package init(jsonText: String) throws(HubError) {
        self = try JSONReading(parsing: Array<UInt8>(jsonText.utf8)).values()
    }
}

extension JSONReading {
    func values() throws(HubError) -> [Value] {
        guard case .array(let elements) = json else { throw error("an array is missing") }
        var result: [Value] = []
        result.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            let value = try Value(element, at: self.element(index, element))
            result.append(value)
        }
        return result
    }
}

extension JSONWriter {
    mutating func values(_ values: [Value]) {
        array { for value in values { value.write(to: &$0) } }
    }

    mutating func strings(_ strings: [String]) {
        array { for string in strings { $0.string(string) } }
    }
}

extension NamedValues {
    /// Columns by name with their values as a JSON object, as the conflict log keeps them.
    public func jsonText() -> String {
        var writer = JSONWriter()
        writer.object {
            for (column, value) in zip(columns, values) {
                $0.name(column)
                value.write(to: &$0)
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Reads what ``jsonText()`` wrote.
    public init(jsonText: String) throws(HubError) {
        let reading = try JSONReading(parsing: Array<UInt8>(jsonText.utf8))
        guard case .object(let members) = reading.json else {
            throw reading.error("an object is missing")
        }
        var pairs: [(column: String, value: Value)] = []
        for member in members {
            pairs.append((member.name, try Value(member.value, at: reading)))
        }
        self.init(pairs)
    }
}
