import MoorageCore

extension SchemaFile {
    /// Changes with anything in the file, so that generated code names the file it was made from.
    package var signature: String {
        var fingerprint = Fingerprint()
        fingerprint.add(JSONWriter.document { schema.write(to: &$0, with: details) })
        return fingerprint.hex
    }

    /// The file's bytes. Each table and column has a line of its own, so that a comparison of two
    /// versions shows what changed.
    package func encoded() -> [UInt8] {
        let document = JSONWriter.document {
            $0.object {
                $0.name("moorage")
                $0.integer(Self.format)
                $0.name("signature")
                $0.string(signature)
                $0.name("tables")
                schema.write(to: &$0, with: details)
            }
        }
        return JSONLines.broken(document)
    }

    /// Reads a file.
    /// - Throws: What is wrong, as an error with the code `malformed`.
    package init(decoding bytes: [UInt8]) throws(HubError) {
        let reading = try JSONReading(parsing: bytes)
        let format = try reading.member("moorage").int64()
        guard format == Self.format else {
            throw HubError(
                .malformed,
                "The schema file has form \(format), and this version reads form \(Self.format). "
                    + "Write it again with `moorage schema`, or update Moorage.")
        }
        let tables = try reading.member("tables")
        self.init(schema: try SchemaDescription(tables), details: try tables.tableDetails())
        guard try reading.member("signature").string().hasSameBytes(as: signature) else {
            throw HubError(
                .malformed,
                "The schema file was changed by hand: its signature is another one. "
                    + "Write it again with `moorage schema`.")
        }
    }
}

/// Line breaks in a JSON document that has none.
enum JSONLines {
    /// The document with a line break before each object that is an element of an array, and one at
    /// the end. A line is indented by one blank for each object or array around it.
    static func broken(_ document: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(document.count + document.count / 8)
        var nesting: [UInt8] = []
        var isInText = false
        var isEscaped = false
        for byte in document {
            if isInText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInText = false
                }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInText = true
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    if byte == UInt8(ascii: "{"), nesting.last == UInt8(ascii: "[") {
                        result.append(UInt8(ascii: "\n"))
                        result.append(
                            contentsOf: repeatElement(UInt8(ascii: " "), count: nesting.count))
                    }
                    nesting.append(byte)
                case UInt8(ascii: "}"), UInt8(ascii: "]"): nesting.removeLast()
                default: break
                }
            }
            result.append(byte)
        }
        result.append(UInt8(ascii: "\n"))
        return result
    }
}
