/// Writes JSON into bytes in the order of the calls, without a tree in between.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    /// Whether the next element or member needs a comma before it.
    private var needsComma = false

    package init() {}

    /// The bytes of one document.
    package static func document(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        write(&writer)
        return writer.bytes
    }

    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        wrap("{", "}", members)
    }

    package mutating func array(_ elements: (inout JSONWriter) -> Void) {
        wrap("[", "]", elements)
    }

    /// The name of a member; its value is the next thing written.
    package mutating func name(_ name: String) {
        separate()
        quoted(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func null() { raw("null") }
    package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }
    package mutating func integer(_ value: Int64) { raw(String(value)) }

    /// A finite number, always with a point or an exponent, so that it is read back as a real.
    package mutating func real(_ value: Double) { raw(value.description) }

    package mutating func string(_ value: String) {
        separate()
        quoted(value)
        needsComma = true
    }

    /// A document that was checked before.
    package mutating func json(_ value: JSON) {
        switch value {
        case .null: null()
        case .bool(let flag): bool(flag)
        case .number(let text): raw(text)
        case .string(let text): string(text)
        case .array(let elements): array { for element in elements { $0.json(element) } }
        case .object(let members):
            object {
                for member in members {
                    $0.name(member.name)
                    $0.json(member.value)
                }
            }
        }
    }

    private mutating func wrap(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ content: (inout JSONWriter) -> Void
    ) {
        separate()
        bytes.append(UInt8(ascii: open))
        needsComma = false
        content(&self)
        bytes.append(UInt8(ascii: close))
        needsComma = true
    }

    private mutating func raw(_ text: String) { raw(text.utf8) }

    private mutating func raw(_ document: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: document)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func quoted(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

extension JSONWriter {
    /// A value that was encoded before, byte for byte.
    package mutating func encoded(_ document: [UInt8]) { raw(document) }
}
