import MoorageWire

/// Unpacks a gzip stream, as far as it arrived.
///
/// - Throws: ``HubError`` for bytes that are not gzip, are damaged, or unpack to more than `limit`
///   bytes.
package func unpacked(
    _ packed: [UInt8], limit: Int = 1_000_000
) throws -> (plain: [UInt8], isWhole: Bool) {
    let reader = try GzipReader(limit: limit)
    reader.add(packed)
    var plain: [UInt8] = []
    while let chunk = try reader.read() { plain += chunk }
    return (plain, reader.isAtEnd)
}
