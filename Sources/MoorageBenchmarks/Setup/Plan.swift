/// How much is measured, and what.
struct Plan: Sendable {
    var repetitions = 5
    var rows = 100_000
    /// Transactions of one row each.
    var singles = 5_000
    var changes = 10_000
    /// How long many streams are written to.
    var seconds = 300
    /// Pages that an app's own connection keeps; SQLite's own size without it.
    var cacheMegabytes: Int?
    private var parts: Set<String> = []

    func includes(_ part: String) -> Bool { parts.isEmpty || parts.contains(part) }

    func unknownParts(among names: [String]) -> [String] { parts.subtracting(names).sorted() }

    mutating func read(_ arguments: inout [String]) {
        while let argument = arguments.first {
            arguments.removeFirst()
            let number = arguments.first.flatMap { Int($0) }
            switch (argument, number) {
            case ("--repetitions", let number?): repetitions = max(1, number)
            case ("--rows", let number?): rows = max(1, number)
            case ("--seconds", let number?): seconds = max(1, number)
            case ("--cache-mb", let number?): cacheMegabytes = max(1, number)
            default:
                parts.insert(argument)
                continue
            }
            arguments.removeFirst()
        }
    }
}
