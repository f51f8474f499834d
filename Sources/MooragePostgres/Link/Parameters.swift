import MoorageCore

/// The types whose arrays carry values to the server, as binary elements.
enum ArrayKind: Hashable, Sendable {
    case integers, reals, texts, blobs

    /// The array's type and its element's, as the server numbers them.
    var arrayType: UInt32 {
        switch self {
        case .integers: 1016
        case .reals: 1022
        case .texts: 1009
        case .blobs: 1001
        }
    }
    var elementType: UInt32 {
        switch self {
        case .integers: 20
        case .reals: 701
        case .texts: 25
        case .blobs: 17
        }
    }
}

/// The arguments of one statement, laid out as libpq takes them, in one buffer.
struct Parameters {
    private(set) var bytes: [UInt8] = []
    private(set) var offsets: [Int?] = []
    private(set) var lengths: [Int32] = []
    private(set) var formats: [Int32] = []
    private(set) var types: [UInt32] = []

    var count: Int { offsets.count }

    /// Adds a scalar as text. Type 0 lets the server infer it.
    ///
    /// The text must contain no NUL. Callers have checked it, or it is their own.
    mutating func add(_ text: String?, type: UInt32 = 0) {
        offsets.append(text == nil ? nil : bytes.count)
        lengths.append(0)
        formats.append(0)
        types.append(type)
        if let text {
            bytes.append(contentsOf: text.utf8)
            bytes.append(0)
        }
    }

    /// Adds a scalar blob.
    mutating func add(blob: [UInt8]) {
        offsets.append(bytes.count)
        lengths.append(Int32(blob.count))
        formats.append(1)
        types.append(17)
        bytes.append(contentsOf: blob)
    }

    /// Starts an array of `count` elements. Exactly that many `append…` calls must follow, then
    /// ``endArray()``.
    mutating func beginArray(_ kind: ArrayKind, count: Int) {
        offsets.append(bytes.count)
        lengths.append(0)
        formats.append(1)
        types.append(kind.arrayType)
        append32(count == 0 ? 0 : 1)
        append32(1)  // there may be NULLs
        append32(Int32(kind.elementType))
        if count > 0 {
            append32(Int32(count))
            append32(1)
        }
    }

    mutating func endArray() {
        let last = offsets.count - 1
        lengths[last] = Int32(bytes.count - (offsets[last] ?? bytes.count))
    }

    mutating func appendNull() { append32(-1) }

    mutating func append(_ integer: Int64) {
        append32(8)
        withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ real: Double) {
        append32(8)
        withUnsafeBytes(of: real.bitPattern.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ buffer: UnsafeBufferPointer<UInt8>) {
        append32(Int32(buffer.count))
        bytes.append(contentsOf: buffer)
    }

    mutating func append(_ blob: [UInt8]) {
        append32(Int32(blob.count))
        bytes.append(contentsOf: blob)
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    mutating func add(texts: [String]) {
        beginArray(.texts, count: texts.count)
        for text in texts { append(text) }
        endArray()
    }

    private mutating func append32(_ value: Int32) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
