// What the author of a connector writes in place of a helper that is not public. Scripts/check-api
// compiles MoorageMySQL with it, as another package does. It never runs.

extension StringProtocol {
    func hasSameBytes(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
