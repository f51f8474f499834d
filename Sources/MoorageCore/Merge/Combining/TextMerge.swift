/// Joins two versions of a text that have the same base, line by line. Where both changed the same
/// lines, the result has both versions, the central one first.
///
/// A merge is idempotent: the result merged with the same change is the result. It is the fixed
/// point of one round, so this does not depend on how lines are matched.
enum TextMerge {
    static func merge(base: String, mine: String, theirs: String) -> String {
        var lines = LineNumbers()
        let base = lines.numbers(of: base)
        let mine = lines.numbers(of: mine)
        let start = lines.numbers(of: theirs)
        // A central text that ends with the whole of mine already has the change.
        if start.suffix(mine.count).elementsEqual(mine) { return theirs }
        var result = start
        for _ in 0..<maximumRounds {
            let next = round(base, mine, result, &lines)
            if next == result { return lines.text(of: result) }
            result = next
        }
        // The rounds reached no fixed point, so both versions stay whole, one behind the other.
        let whole = both(mine, start, &lines)
        return lines.text(of: whole)
    }

    private static let maximumRounds = 8

    /// One three-way merge. The lines that all three texts share separate stretches, and each
    /// stretch is merged by itself.
    private static func round(
        _ base: [Int], _ mine: [Int], _ theirs: [Int], _ lines: inout LineNumbers
    ) -> [Int] {
        let inMine = LineMatch.places(of: base, in: mine)
        let inTheirs = LineMatch.places(of: base, in: theirs)
        var result: [Int] = []
        var (from, fromMine, fromTheirs) = (0, 0, 0)
        for line in base.indices {
            guard let place = inMine[line], let other = inTheirs[line] else { continue }
            result += stretch(
                base[from..<line], mine[fromMine..<place], theirs[fromTheirs..<other], &lines)
            result.append(base[line])
            (from, fromMine, fromTheirs) = (line + 1, place + 1, other + 1)
        }
        return result + stretch(base[from...], mine[fromMine...], theirs[fromTheirs...], &lines)
    }

    private static func stretch(
        _ base: ArraySlice<Int>, _ mine: ArraySlice<Int>, _ theirs: ArraySlice<Int>,
        _ lines: inout LineNumbers
    ) -> [Int] {
        if mine == base || mine == theirs { return Array(theirs) }
        if theirs == base { return Array(mine) }
        return both(Array(mine), Array(theirs), &lines)
    }

    private static func both(_ mine: [Int], _ theirs: [Int], _ lines: inout LineNumbers) -> [Int] {
        let ended = Array(theirs.dropLast()) + theirs.suffix(1).map { lines.ended($0) }
        if contains(theirs, mine) || contains(ended, mine) { return theirs }
        if contains(mine, theirs) || contains(mine, ended) { return mine }
        return ended + mine
    }

    private static func contains(_ lines: [Int], _ part: [Int]) -> Bool {
        guard let first = part.first else { return true }
        guard lines.count >= part.count else { return false }
        return (0...(lines.count - part.count)).contains { start in
            lines[start] == first && lines[start..<(start + part.count)].elementsEqual(part)
        }
    }
}

/// Lines as numbers, so that the bytes of a line are compared once. The bytes with the line end
/// identify a line.
private struct LineNumbers {
    private var numbers: [ArraySlice<UInt8>: Int] = [:]
    private var lines: [ArraySlice<UInt8>] = []

    private static let end = UInt8(ascii: "\n")

    mutating func numbers(of text: String) -> [Int] {
        let bytes = Array(text.utf8)
        var result: [Int] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: Self.end).map { $0 + 1 } ?? bytes.count
            result.append(number(of: bytes[start..<end]))
            start = end
        }
        return result
    }

    /// The same line with a line end, so that another line can follow.
    mutating func ended(_ line: Int) -> Int {
        lines[line].last == Self.end ? line : number(of: lines[line] + [Self.end])
    }

    func text(of numbers: [Int]) -> String {
        String(decoding: numbers.flatMap { lines[$0] }, as: UTF8.self)
    }

    private mutating func number(of line: ArraySlice<UInt8>) -> Int {
        if let known = numbers[line] { return known }
        numbers[line] = lines.count
        lines.append(line)
        return lines.count - 1
    }
}

/// Which lines of one text are in another, in the same order: a longest common subsequence.
private enum LineMatch {
    /// Beyond this number of pairs of lines, the part that differs counts as one block.
    private static let maximumPairs = 1_000_000

    /// For each line of `base` its place in `other`.
    static func places(of base: [Int], in other: [Int]) -> [Int?] {
        var result = [Int?](repeating: nil, count: base.count)
        var first = 0
        while first < min(base.count, other.count), base[first] == other[first] {
            result[first] = first
            first += 1
        }
        var (end, otherEnd) = (base.count, other.count)
        while end > first, otherEnd > first, base[end - 1] == other[otherEnd - 1] {
            (end, otherEnd) = (end - 1, otherEnd - 1)
            result[end] = otherEnd
        }
        let (rows, columns) = (end - first, otherEnd - first)
        guard rows > 0, columns > 0, rows <= maximumPairs / columns else { return result }
        // lengths[i][j]: the longest common subsequence of base[i...] and other[j...].
        let width = columns + 1
        var lengths = [Int32](repeating: 0, count: (rows + 1) * width)
        for row in (0..<rows).reversed() {
            for column in (0..<columns).reversed() {
                let here = row * width + column
                lengths[here] =
                    base[first + row] == other[first + column]
                    ? lengths[here + width + 1] + 1 : max(lengths[here + width], lengths[here + 1])
            }
        }
        var (row, column) = (0, 0)
        while row < rows, column < columns {
            let here = row * width + column
            if base[first + row] == other[first + column] {
                result[first + row] = first + column
                (row, column) = (row + 1, column + 1)
            } else if lengths[here + width] >= lengths[here + 1] {
                row += 1
            } else {
                column += 1
            }
        }
        return result
    }
}
