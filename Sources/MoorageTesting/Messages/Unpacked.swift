import MoorageWire

/// What a gzip stream holds, as far as it came.
///
/// - Throws: ``HubError`` for what is no gzip, is damaged, or comes to more than `limit` bytes.
package func unpacked(
    _ packed: [UInt8], limit: Int = 1_000_000
) throws -> (plain: [UInt8], isWhole: Bool) {
    let reader = try GzipReader(limit: limit)
    reader.add(packed)
    var plain: [UInt8] = []
    while let chunk = try reader.read() { plain += chunk }
    return (plain, reader.isAtEnd)
}
