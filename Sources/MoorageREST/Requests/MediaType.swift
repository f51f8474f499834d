/// The forms in which bodies come and go.
enum MediaType: String, Hashable, CaseIterable {
    case json = "application/json"
    case csv = "text/csv"
    /// RFC 7396.
    case mergePatch = "application/merge-patch+json"
    /// Server-sent events.
    case events = "text/event-stream"
}

extension RESTRequest {
    /// The form of the body.
    ///
    /// - Parameter allowed: What the request takes.
    /// - Throws: ``RESTProblem`` for another form, another character set, or where the request does
    ///   not say it.
    func bodyType(among allowed: [MediaType]) throws(RESTProblem) -> MediaType {
        let elements = HeaderElement.all(of: values(of: "Content-Type"))
        guard elements.count == 1, let type = MediaType(rawValue: elements[0].value.lowercased()),
            allowed.contains(type), elements[0].parameters.allSatisfy(\.isReadable)
        else { throw .wrongMediaType(allowed: allowed.map(\.rawValue)) }
        return type
    }

    /// The form of the answer that `Accept` prefers.
    ///
    /// - Parameter offers: What there is. The first one counts where the request does not care.
    func answerType(among offers: [MediaType]) throws(RESTProblem) -> MediaType {
        let ranges = HeaderElement.all(of: values(of: "Accept"))
        guard let first = offers.first, !ranges.isEmpty else { return offers.first ?? .json }
        var best = first
        var bestWeight = 0
        for offer in offers {
            let weight = offer.weight(in: ranges)
            if weight > bestWeight { (best, bestWeight) = (offer, weight) }
        }
        guard bestWeight > 0 else { throw .notAcceptable(offers.map(\.rawValue)) }
        return best
    }
}

extension MediaType {
    /// How much `Accept` wants it, in thousandths. The range that says most about it counts.
    fileprivate func weight(in ranges: [HeaderElement]) -> Int {
        let group = rawValue.prefix { $0 != "/" } + "/*"
        for name in [rawValue, String(group), "*/*"] {
            let weights = ranges.compactMap { range in
                range.value.lowercased() == name ? range.weight : nil
            }
            if let weight = weights.max() { return weight }
        }
        return 0
    }
}

extension HeaderElement {
    /// In thousandths; 0 for a weight that cannot be read.
    fileprivate var weight: Int {
        guard let text = parameters.first(where: { $0.name == "q" })?.value else { return 1_000 }
        let bytes = Array(text.utf8)
        guard (1...5).contains(bytes.count), let whole = Self.digit(bytes[0]), whole < 2,
            bytes.count == 1 || bytes[1] == UInt8(ascii: ".")
        else { return 0 }
        var weight = whole * 1_000
        var unit = 100
        for byte in bytes.dropFirst(2) {
            guard let digit = Self.digit(byte) else { return 0 }
            weight += digit * unit
            unit /= 10
        }
        return weight <= 1_000 ? weight : 0
    }

    private static func digit(_ byte: UInt8) -> Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            ? Int(byte - UInt8(ascii: "0")) : nil
    }
}

extension HeaderElement.Parameter {
    /// Whether a body with this parameter reads as one without it. CSV has a line of names.
    fileprivate var isReadable: Bool {
        switch name {
        case "charset": value.lowercased() == "utf-8"
        case "header": value.lowercased() == "present"
        default: true
        }
    }
}
