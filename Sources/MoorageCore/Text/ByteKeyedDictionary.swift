/// A dictionary whose keys are texts, told apart by their bytes (I3).
///
/// Swift's own takes `é` composed and decomposed for one key; databases do not, and one table's
/// statement would run on the other.
package struct ByteKeyedDictionary<Element> {
    private var elements: [Value: Element] = [:]

    package init() {}

    package subscript(_ text: String) -> Element? {
        get { elements[.text(text)] }
        set { elements[.text(text)] = newValue }
    }

    package subscript(_ text: String, default element: @autoclosure () -> Element) -> Element {
        get { elements[.text(text), default: element()] }
        // In place: a list that grows by one entry would be copied for each.
        _modify { yield &elements[.text(text), default: element()] }
    }

    package var isEmpty: Bool { elements.isEmpty }
    package var count: Int { elements.count }
    package var values: some Collection<Element> { elements.values }
}

extension ByteKeyedDictionary: Sendable where Element: Sendable {}
