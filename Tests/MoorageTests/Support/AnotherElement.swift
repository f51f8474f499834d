extension AsyncIteratorProtocol where Element: Equatable {
    /// The next element that differs from the last one. An observation may report the same list
    /// twice.
    mutating func another(than last: Element) async throws -> Element? {
        while let element = try await next() {
            if element != last { return element }
        }
        return nil
    }
}
