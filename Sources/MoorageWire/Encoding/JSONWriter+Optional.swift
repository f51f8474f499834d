import MoorageCore

extension JSONWriter {
    /// A member of text that is left out where there is none.
    mutating func optional(_ name: String, _ text: String?) {
        guard let text else { return }
        self.name(name)
        string(text)
    }
}
