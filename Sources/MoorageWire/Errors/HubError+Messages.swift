import MoorageCore

/// What is wrong with a message as a whole (docs/reference/errors.md, Messages). What is wrong at
/// one place of it is with the code that reads it.
extension HubError {
    static func notJSON(_ error: JSONError) -> HubError {
        HubError(
            .malformed, "The message is not JSON: \(error.message), at byte \(error.offset).")
    }

    static let noCompression = HubError(
        .malformed,
        "The message is compressed, and this build has no zlib. Ask for messages as they are.")
    static let notGzip = HubError(.malformed, "The message is not gzip, or it is damaged.")

    /// - Parameter limit: Bytes.
    static func unpackedTooLarge(_ limit: Int) -> HubError {
        HubError(.tooLarge, "The unpacked message is larger than \(limit) bytes.")
    }

    /// - Parameter limit: Bytes.
    static func needsTooMuchMemory(_ limit: Int) -> HubError {
        HubError(
            .tooLarge,
            "The message needs more memory than the \(limit) bytes that one message may use.")
    }

    static let frameTooLarge = HubError(
        .tooLarge,
        """
        A frame of the answer is larger than this device accepts. The device applied nothing of \
        it. Lower `pageBytes` at the hub.
        """)

    static func otherProtocolVersion(hub: Int, replica: Int) -> HubError {
        HubError(
            .protocolTooOld,
            """
            The hub speaks version \(hub) of the protocol, and the replica version \(replica). \
            Local changes are kept. Update the older of the two.
            """)
    }
}
