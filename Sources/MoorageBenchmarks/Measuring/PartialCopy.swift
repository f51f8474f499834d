/// When a part of a first copy was complete, beside the whole of it.
struct PartialCopy {
    /// The copy when the part was complete.
    var part: Progress?
    var whole = Progress()

    struct Progress {
        var pages = 0
        var rows = 0
        var seconds = 0.0
    }

    /// What share of the pages, rows or time had passed; 1 while the part is not complete.
    func share(_ amount: (Progress) -> Double) -> Double {
        part.map { amount($0) / max(amount(whole), .leastNonzeroMagnitude) } ?? 1
    }
}

extension Report {
    /// Medians of the shares after which a part was complete. The whole copies have ratios to the
    /// first.
    func partialCopies(_ title: String, _ measured: [(name: String, copies: [PartialCopy])]) {
        Self.write("\n### \(title)\n")
        Self.write("| way | of the pages | of the rows | of the time | whole copy, × wall |")
        Self.write("|---|---|---|---|---|")
        func median(_ copies: [PartialCopy], _ value: (PartialCopy) -> Double) -> Double {
            Self.percentile(50, of: copies.map(value))
        }
        let first = median(measured[0].copies) { $0.whole.seconds }
        for (name, copies) in measured {
            let cells = [
                name,
                Self.text(median(copies) { $0.share { Double($0.pages) } }, 2),
                Self.text(median(copies) { $0.share { Double($0.rows) } }, 2),
                Self.text(median(copies) { $0.share { $0.seconds } }, 2),
                Self.text(median(copies) { $0.whole.seconds } / first, 2),
            ]
            Self.write("| " + cells.joined(separator: " | ") + " |")
        }
    }
}
