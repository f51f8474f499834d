import Foundation
import MoorageCore

@testable import MoorageREST

/// Checks documents against the schemas of an OpenAPI document: the keywords that ours has.
struct SchemaCheck {
    /// The whole OpenAPI document.
    let document: JSON

    /// What a reference leads to; the part itself without one.
    func resolved(_ part: JSON) -> JSON? {
        guard let reference = part["$ref"]?.string else { return part }
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(document as JSON?) {
            $0?[String($1)]
        }.flatMap(resolved)
    }

    func accepts(_ value: JSON, _ schema: JSON) -> Bool { problem(of: value, schema) == nil }

    /// What is wrong with a value; `nil` where the schema accepts it.
    func problem(of value: JSON, _ schema: JSON) -> String? {
        if case .bool(let accepts) = schema { return accepts ? nil : "nothing is allowed here" }
        guard let schema = resolved(schema) else { return "a reference to nothing" }
        return problemOfKind(value, schema) ?? problemOfText(value, schema)
            ?? problemOfNumber(value, schema) ?? problemOfObject(value, schema)
            ?? problemOfArray(value, schema) ?? problemOfChoice(value, schema)
    }

    private func problemOfKind(_ value: JSON, _ schema: JSON) -> String? {
        if let type = schema["type"] {
            let types = type.string.map { [$0] } ?? type.elements.compactMap(\.string)
            guard types.contains(where: value.isOf) else {
                return "\(value.text) is no \(type.text)"
            }
        }
        let allowed = schema["const"].map { [$0] } ?? schema["enum"]?.elements
        guard let allowed, !allowed.contains(where: { $0.text == value.text }) else { return nil }
        return "\(value.text) is none of the values"
    }

    private func problemOfText(_ value: JSON, _ schema: JSON) -> String? {
        guard let text = value.string else { return nil }
        if let pattern = schema["pattern"]?.string, !text.meets(pattern) {
            return "\(value.text) does not meet \(pattern)"
        }
        let count = text.unicodeScalars.count
        if let most = schema["maxLength"]?.number, Double(count) > most { return "too long" }
        if let least = schema["minLength"]?.number, Double(count) < least { return "too short" }
        return nil
    }

    private func problemOfNumber(_ value: JSON, _ schema: JSON) -> String? {
        guard let number = value.number else { return nil }
        if let least = schema["minimum"]?.number, number < least { return "\(number) is too small" }
        if let most = schema["maximum"]?.number, number > most { return "\(number) is too large" }
        return nil
    }

    private func problemOfObject(_ value: JSON, _ schema: JSON) -> String? {
        guard case .object(let members) = value else { return nil }
        for name in schema["required"]?.elements.compactMap(\.string) ?? []
        where value[name] == nil {
            return "\(name) is missing"
        }
        if let most = schema["maxProperties"]?.number, Double(members.count) > most {
            return "too many members"
        }
        for (name, value) in members {
            let own = schema["properties"]?[name]
            var schemas = own.map { [$0] } ?? []
            if case .object(let patterns)? = schema["patternProperties"] {
                schemas += patterns.filter { name.meets($0.name) }.map(\.value)
            }
            if schemas.isEmpty, let others = schema["additionalProperties"] { schemas = [others] }
            for schema in schemas {
                if let problem = problem(of: value, schema) { return "\(name): \(problem)" }
            }
        }
        return nil
    }

    private func problemOfArray(_ value: JSON, _ schema: JSON) -> String? {
        guard case .array(let elements) = value else { return nil }
        let first = schema["prefixItems"]?.elements ?? []
        if let most = schema["maxItems"]?.number, Double(elements.count) > most {
            return "too many"
        }
        if let least = schema["minItems"]?.number, Double(elements.count) < least {
            return "too few"
        }
        if schema["uniqueItems"]?.text == "true", Set(elements.map(\.text)).count < elements.count {
            return "an element comes twice"
        }
        for (index, element) in elements.enumerated() {
            guard let schema = index < first.count ? first[index] : schema["items"] else {
                continue
            }
            if let problem = problem(of: element, schema) { return "[\(index)]: \(problem)" }
        }
        return nil
    }

    private func problemOfChoice(_ value: JSON, _ schema: JSON) -> String? {
        for part in schema["allOf"]?.elements ?? [] {
            if let problem = problem(of: value, part) { return problem }
        }
        if let parts = schema["anyOf"]?.elements {
            let problems = parts.compactMap { problem(of: value, $0) }
            if problems.count == parts.count { return "none of: \(problems)" }
        }
        if let parts = schema["oneOf"]?.elements {
            let problems = parts.compactMap { problem(of: value, $0) }
            if problems.count != parts.count - 1 { return "not one of: \(problems)" }
        }
        if let part = schema["not"], accepts(value, part) { return "\(value.text) is not allowed" }
        return nil
    }
}

extension JSON {
    var number: Double? { if case .number(let text) = self { Double(text) } else { nil } }

    fileprivate func isOf(_ type: String) -> Bool {
        switch self {
        case .null: type == "null"
        case .bool: type == "boolean"
        case .string: type == "string"
        case .array: type == "array"
        case .object: type == "object"
        case .number(let text):
            type == "number"
                || type == "integer" && Double(text).map { $0.rounded() == $0 } ?? false
        }
    }

    /// All parts of a document.
    var parts: [JSON] {
        switch self {
        case .array(let elements): [self] + elements.flatMap(\.parts)
        case .object(let members): [self] + members.flatMap(\.value.parts)
        default: [self]
        }
    }

    var members: [(name: String, value: JSON)] {
        if case .object(let members) = self { members } else { [] }
    }
}

extension String {
    /// Whether a regular expression finds something in the text.
    fileprivate func meets(_ pattern: String) -> Bool {
        // Without the option, `$` also matches before a line break at the end.
        let isAnchored = pattern.hasSuffix("$") && !pattern.hasSuffix("\\$")
        let pattern = isAnchored ? pattern.dropLast() + "\\z" : pattern[...]
        return range(of: String(pattern), options: .regularExpression) != nil
    }
}
