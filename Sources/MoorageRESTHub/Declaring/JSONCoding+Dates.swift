public import Foundation

extension JSONEncoder {
    /// Writes dates in ISO 8601 with milliseconds, as GRDB stores them, and members in one order.
    public static var moorageREST: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            // A format cuts digits off, and a date is a binary number beside its millisecond.
            let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
            let inside = Date(timeIntervalSince1970: (milliseconds + 0.25) / 1000)
            try container.encode(
                inside.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        }
        return encoder
    }
}

extension JSONDecoder {
    /// Reads dates in ISO 8601, with or without a fraction of a second.
    public static var moorageREST: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            let exact = try? Date(
                text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            guard let date = exact ?? (try? Date(text, strategy: .iso8601)) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "no date of ISO 8601")
            }
            return date
        }
        return decoder
    }
}
