/// Combines the values that both sides made from one base.
enum ValueMerge: Hashable, Sendable {
    case value(Value)
    /// The result does not fit the column's type.
    case overflow
    /// The rule cannot combine these values: one is NULL, or not of the rule's type.
    case undecided

    /// - Parameter base: What both sides started from; `nil` where they started from nothing.
    init(_ rule: MergeRule, _ type: ColumnType, base: Value?, mine: Value, theirs: Value) {
        switch rule {
        case .add: self = Self.sum(type, base: base ?? .null, mine, theirs)
        case .max, .min:
            guard !mine.isNull, !theirs.isNull else {
                self = .value(mine.isNull ? theirs : mine)
                return
            }
            guard let isBefore = type.isBefore(mine, theirs) else {
                self = .undecided
                return
            }
            self = .value(isBefore == (rule == .min) ? mine : theirs)
        case .union: self = SetMerge.merge(base: base, mine: mine, theirs: theirs)
        case .text:
            guard case .text(let mine) = mine, case .text(let theirs) = theirs else {
                self = .undecided
                return
            }
            var start = ""
            if case .text(let text)? = base { start = text }
            self = .value(.text(TextMerge.merge(base: start, mine: mine, theirs: theirs)))
        case .newest, .server, .client, .keepBoth, .handler, .expression: self = .undecided
        }
    }

    /// `theirs + (mine − base)`; a missing base counts as 0.
    private static func sum(_ type: ColumnType, base: Value, _ mine: Value, _ theirs: Value)
        -> ValueMerge
    {
        if case .real = type {
            guard let mine = real(mine), let theirs = real(theirs),
                let base = base.isNull ? 0 : real(base)
            else { return .undecided }
            let sum = theirs + (mine - base)
            return sum.isFinite ? .value(.real(sum)) : .overflow
        }
        guard let mine = decimal(mine), let theirs = decimal(theirs),
            let base = base.isNull ? DecimalText(0) : decimal(base)
        else { return .undecided }
        guard let sum = theirs.adding(mine)?.adding(base.negated) else { return .overflow }
        if case .integer = type {
            return Int64(sum.normalized).map { .value(.integer($0)) } ?? .overflow
        }
        return .value(.text(sum.normalized))
    }

    private static func real(_ value: Value) -> Double? {
        if case .real(let number) = ColumnType.real.normalized(value) { number } else { nil }
    }

    private static func decimal(_ value: Value) -> DecimalText? {
        guard case .text(let text) = ColumnType.decimal.normalized(value) else { return nil }
        return DecimalText(text)
    }
}
