import MoorageCore

extension JSONWriter {
    /// Writes a member of text, or nothing when there is no text.
    mutating func optional(_ name: String, _ text: String?) {
        guard let text else { return }
        self.name(name)
        string(text)
    }
}
