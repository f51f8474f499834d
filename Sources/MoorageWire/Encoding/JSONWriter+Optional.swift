import MoorageCore

extension JSONWriter {
    /// Writes a member of text, or nothing when there is no text.
    mutating func optional(_ name: String, _ text: String?) {
        guard let text else { return }
        self.name(name)
        string(text)
    }

    /// Writes a member with a number, or nothing when there is no number.
    mutating func optional(_ name: String, _ number: Int64?) {
        guard let number else { return }
        self.name(name)
        integer(number)
    }

    /// Writes a member `true`, or nothing.
    mutating func flag(_ name: String, _ isSet: Bool) {
        guard isSet else { return }
        self.name(name)
        bool(true)
    }
}
