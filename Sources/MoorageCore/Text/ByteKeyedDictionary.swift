/// A dictionary with texts as keys, which it compares by bytes (I3).
///
/// Swift's own dictionary treats `é` composed and decomposed as one key, and databases do not. One
/// table's statement would then run on another table.
public struct ByteKeyedDictionary<Element> {
    private var elements: [Value: Element] = [:]

    public init() {}

    public subscript(_ text: String) -> Element? {
        get { elements[.text(text)] }
        set { elements[.text(text)] = newValue }
    }

    public subscript(_ text: String, default element: @autoclosure () -> Element) -> Element {
        get { elements[.text(text), default: element()] }
        // Modifies the element in place. Otherwise a growing list would be copied for each new
        // entry.
        _modify { yield &elements[.text(text), default: element()] }
    }

    public var isEmpty: Bool { elements.isEmpty }
    public var count: Int { elements.count }
    public var values: some Collection<Element> { elements.values }
}

extension ByteKeyedDictionary: Sendable where Element: Sendable {}
