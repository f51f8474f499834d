import MoorageCore

/// Why a server refused, in the words of its answer: one line for people, of bounded length.
enum RefusalReason {
    private static let most = 500

    /// - Returns: `nil` where the answer has no words.
    static func text(of answer: RESTAnswer) -> String? {
        if answer.isPage { return nil }
        guard let json = try? answer.json() else {
            return line(String(decoding: answer.body.prefix(4 * most), as: UTF8.self))
        }
        return line(sentence(json) ?? "")
    }

    /// One line without control characters; `nil` for none.
    static func line(_ text: String) -> String? {
        var result = ""
        var count = 0
        var isBlank = true
        // A character may have any number of scalars.
        for character in text where character.unicodeScalars.count <= 16 {
            if count >= most { break }
            if character.isWhitespace {
                if !isBlank {
                    result.append(" ")
                    count += 1
                }
                isBlank = true
                continue
            }
            let scalars = character.unicodeScalars.filter { !isControl($0) }
            if scalars.isEmpty { continue }
            result.unicodeScalars.append(contentsOf: scalars)
            count += 1
            isBlank = false
        }
        while result.last == " " { result.removeLast() }
        return result.isEmpty ? nil : result
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .privateUse, .surrogate, .unassigned, .lineSeparator: true
        default: false
        }
    }

    // MARK: Forms of answers

    /// `detail` is of problem details (RFC 9457) and Django REST framework, `message` of most others,
    /// `error_description` of OAuth, `error.message` of Stripe and Google.
    private static func sentence(_ json: JSON) -> String? {
        if let text = json.text { return text }
        if json.elements != nil { return list(json, depth: 0) }
        let error = json["error"]
        let texts = [
            json["detail"], json["message"], error?["message"], error?["detail"],
            json["error_description"], error, json["title"], json["msg"],
        ]
        let general = texts.lazy.compactMap { $0?.text }.first { !$0.isEmpty }
        let errors = json["errors"] ?? error?["errors"]
        let parts = [general, errors.flatMap { list($0, depth: 0) }].compactMap { $0 }
        if !parts.isEmpty { return parts.joined(separator: " ") }
        return list(json, depth: 0, ignoringTexts: true)
    }

    /// Texts of an array, or by member: Rails, Django REST framework and Laravel have arrays of texts
    /// by column, and JSON:API an array of objects.
    ///
    /// - Parameter ignoringTexts: Whether a text that is no array says nothing, as in `{"code":"E7"}`.
    private static func list(_ json: JSON, depth: Int, ignoringTexts: Bool = false) -> String? {
        guard depth < 3 else { return nil }
        var texts: [String] = []
        if let elements = json.elements {
            for element in elements.prefix(20) {
                if let text = element.text ?? words(element) { texts.append(text) }
            }
            return texts.isEmpty ? nil : texts.joined(separator: depth > 0 ? ", " : "; ")
        }
        for member in (json.members ?? []).prefix(20) {
            let text = ignoringTexts ? nil : member.value.text
            guard let text = text ?? list(member.value, depth: depth + 1) else { continue }
            let isGeneral = ["non_field_errors", "base"].contains(member.name)
            texts.append(isGeneral ? text : "\(member.name): \(text)")
        }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    private static func words(_ json: JSON) -> String? {
        ["detail", "message", "title"].lazy.compactMap { json[$0]?.text }.first { !$0.isEmpty }
    }
}
