/// The history of a simulated world, as data: what the world consists of, and what happens in it.
///
/// It also has a form as text, in which a corpus keeps histories and people read and edit them.
package struct History: Hashable, Sendable {
    package var world: SimulatedWorld
    package var steps: [Step]

    package init(world: SimulatedWorld, steps: [Step]) {
        self.world = world
        self.steps = steps
    }
}

extension History {
    /// The history as text, with one line for each part of the world and for each step.
    package var text: String {
        (world.lines + steps.map(\.line)).joined(separator: "\n") + "\n"
    }

    /// Reads what ``text`` prints. It skips empty lines and lines that begin with `#`.
    ///
    /// - Throws: ``HistorySyntaxError`` with the line.
    package init(text: String) throws {
        world = SimulatedWorld()
        steps = []
        // Splits by scalars, not by characters: a scalar that joins the one before it could hide
        // the line's end.
        for scalars in text.unicodeScalars.split(separator: "\n") {
            let line = String(scalars)
            if line.hasPrefix("#") || line.allSatisfy(\.isWhitespace) { continue }
            if let first = line.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
            {
                steps.append(try Step(line: line))
            } else {
                try world.read(line)
            }
        }
    }
}

/// A line that is no part of a history.
package struct HistorySyntaxError: Error, Hashable, CustomStringConvertible {
    package let line: String
    package var description: String { "This is no line of a history: \(line)" }

    init(_ line: some StringProtocol) { self.line = String(line) }
}

extension StringProtocol {
    /// The text after a prefix; `nil` without the prefix.
    func after(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }

    /// The text before and after the first occurrence of a separator; `nil` without one.
    func split(at separator: String) -> (String, String)? {
        guard let first = separator.first else { return nil }
        var start = startIndex
        while let found = self[start...].firstIndex(of: first) {
            if self[found...].hasPrefix(separator) {
                let end = index(found, offsetBy: separator.count)
                return (String(self[..<found]), String(self[end...]))
            }
            start = index(after: found)
        }
        return nil
    }
}
