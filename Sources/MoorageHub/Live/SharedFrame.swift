import MoorageSupport
package import MoorageWire

/// A frame that goes out in many answers, and is encoded once.
package final class SharedFrame: Sendable {
    package let frame: Frame
    private let known = Locked<[WireEncoding: [UInt8]]>([:])

    init(_ frame: Frame) { self.frame = frame }

    /// The frame as an answer contains it. A caller that comes while another one encodes it waits.
    package func encoded(in encoding: WireEncoding) -> [UInt8] {
        known.withLock { known in
            if let bytes = known[encoding] { return bytes }
            let bytes = encoding.encoded(frame)
            known[encoding] = bytes
            return bytes
        }
    }
}
