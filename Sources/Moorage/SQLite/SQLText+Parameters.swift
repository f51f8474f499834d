import MoorageCore

extension SQLText {
    /// `?1, ?2, …`
    static func parameters(_ count: Int) -> String {
        (0..<count).map { "?\($0 + 1)" }.joined(separator: ", ")
    }
}
