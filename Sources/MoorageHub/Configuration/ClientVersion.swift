/// The version of an app: numbers with points between them, such as `2.10.1`, compared number by
/// number.
///
/// A number that is missing is 0. What follows the numbers does not count: `2.10-beta` is `2.10`.
package struct ClientVersion: Hashable, Comparable, Sendable {
    /// The numbers' digits without zeros in front, because a number may be of any size. The last
    /// one is not 0.
    private let numbers: [[UInt8]]

    /// Fails for a text that does not begin with a number.
    package init?(_ text: String) {
        var numbers: [[UInt8]] = []
        var rest = Array(text.utf8)[...]
        while true {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            if digits.isEmpty { break }
            numbers.append(Array(digits.drop { $0 == UInt8(ascii: "0") }))
            rest = rest[digits.endIndex...]
            guard rest.first == UInt8(ascii: ".") else { break }
            rest = rest.dropFirst()
        }
        if numbers.isEmpty { return nil }
        while numbers.last?.isEmpty == true { numbers.removeLast() }
        self.numbers = numbers
    }

    /// Whether an app may sync. An app that says no version may not.
    static func isNewEnough(_ version: String?, for minimum: String) -> Bool {
        // The configuration was checked before.
        guard let oldest = ClientVersion(minimum) else { return true }
        return version.flatMap { ClientVersion($0) }.map { $0 >= oldest } ?? false
    }

    package static func < (left: ClientVersion, right: ClientVersion) -> Bool {
        for (mine, other) in zip(left.numbers, right.numbers) where mine != other {
            return mine.count == other.count
                ? mine.lexicographicallyPrecedes(other) : mine.count < other.count
        }
        return left.numbers.count < right.numbers.count
    }
}
