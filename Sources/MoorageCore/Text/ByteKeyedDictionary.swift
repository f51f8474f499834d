/// A dictionary with texts as keys, which it compares by bytes (I3).
///
/// Swift's own dictionary treats `é` composed and decomposed as one key, and databases do not. One
/// table's statement would then run on another table.
public struct ByteKeyedDictionary<Element> {
    private var elements: [Value: Element] = [:]

    /// An empty dictionary.
    public init() {}

    /// The element for a key; `nil` without one. Setting `nil` removes the element.
    public subscript(_ text: String) -> Element? {
        get { elements[.text(text)] }
        set { elements[.text(text)] = newValue }
    }

    /// The element for a key. Without one it reads as `element`, and writing adds that first.
    public subscript(_ text: String, default element: @autoclosure () -> Element) -> Element {
        get { elements[.text(text), default: element()] }
        // Modifies the element in place. Otherwise a growing list would be copied for each new
        // entry.
        _modify { yield &elements[.text(text), default: element()] }
    }

    /// Whether there is no element.
    public var isEmpty: Bool { elements.isEmpty }
    /// How many elements there are.
    public var count: Int { elements.count }
    /// The elements without their keys, in no particular order.
    public var values: some Collection<Element> { elements.values }
}

extension ByteKeyedDictionary: Sendable where Element: Sendable {}
