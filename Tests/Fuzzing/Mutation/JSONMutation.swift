import MoorageCore
import MoorageTesting

/// Changes valid JSON into other valid JSON: random bytes seldom get past the parser.
struct JSONMutation {
    var random: SeededGenerator
    let words: [String]

    /// One line of the input, changed; `nil` when it is no JSON.
    mutating func mutate(_ bytes: [UInt8]) -> [UInt8]? {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        guard !lines.isEmpty else { return nil }
        let place = random.below(lines.count)
        guard let document = try? JSON(parsing: lines[place]) else { return nil }
        if lines.count > 1, random.once(in: 12) {
            lines.swapAt(place, random.below(lines.count))
        } else if random.once(in: 20) {
            lines.insert(lines[place], at: place)
        } else {
            var parts: [JSON] = []
            Self.collect(document, &parts)
            var changed = document
            for _ in 0...random.below(2) {
                var target = random.below(parts.count)
                changed = rewrite(changed, &target, parts)
            }
            var writer = JSONWriter()
            writer.json(changed)
            lines[place] = writer.bytes
        }
        return Array(lines.joined(separator: [0x0A]))
    }

    private static func collect(_ json: JSON, _ parts: inout [JSON]) {
        parts.append(json)
        switch json {
        case .array(let elements): for element in elements { collect(element, &parts) }
        case .object(let members): for member in members { collect(member.value, &parts) }
        default: break
        }
    }

    /// The document with one part changed.
    ///
    /// - Parameter left: How many parts come before it, from the top; below 0 when it is done.
    private mutating func rewrite(_ json: JSON, _ left: inout Int, _ parts: [JSON]) -> JSON {
        if left == 0 {
            left = -1
            return changed(json, parts)
        }
        left -= 1
        switch json {
        case .array(let elements):
            var result: [JSON] = []
            for element in elements {
                result.append(left < 0 ? element : rewrite(element, &left, parts))
            }
            return .array(result)
        case .object(let members):
            var result: [(name: String, value: JSON)] = []
            for member in members {
                let value = left < 0 ? member.value : rewrite(member.value, &left, parts)
                result.append((member.name, value))
            }
            return .object(result)
        default: return json
        }
    }

    private mutating func changed(_ json: JSON, _ parts: [JSON]) -> JSON {
        switch (random.below(5), json) {
        case (0, _): return random.one(of: parts)
        case (1, _): return leaf()
        case (_, .array(var elements)):
            switch random.below(4) {
            case 0 where !elements.isEmpty: elements.remove(at: random.below(elements.count))
            case 1 where elements.count > 1:
                elements.swapAt(random.below(elements.count), random.below(elements.count))
            case 2 where !elements.isEmpty:
                elements.insert(random.one(of: elements), at: random.below(elements.count))
            default: elements.append(random.once(in: 2) ? leaf() : random.one(of: parts))
            }
            return .array(elements)
        case (_, .object(var members)):
            switch random.below(3) {
            case 0 where !members.isEmpty: members.remove(at: random.below(members.count))
            case 1 where !members.isEmpty:
                members[random.below(members.count)].value = random.one(of: parts)
            default:
                let name = random.one(of: words)
                if !members.contains(where: { $0.name.hasSameBytes(as: name) }) {
                    members.append((name, random.once(in: 2) ? leaf() : random.one(of: parts)))
                }
            }
            return .object(members)
        case (_, .number(let text)):
            guard let number = Int64(text) else { return leaf() }
            return .number(String(number &+ Int64(random.below(5)) &- 2))
        case (_, .string(let text)):
            return .string(random.once(in: 2) ? text + random.one(of: hardTexts) : word())
        default: return leaf()
        }
    }

    private mutating func word() -> String {
        random.once(in: 2) ? random.one(of: words) : random.one(of: hardTexts)
    }

    private mutating func leaf() -> JSON {
        switch random.below(8) {
        case 0: .null
        case 1: .bool(random.once(in: 2))
        case 2: .number(String(random.one(of: hardIntegers)))
        case 3: .number(random.one(of: hardReals).description)
        case 4: .number(String(random.below(4)))
        case 5: .array([])
        default: .string(word())
        }
    }
}
