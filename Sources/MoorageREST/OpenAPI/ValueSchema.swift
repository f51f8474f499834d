import MoorageCore

/// The schema of a column's values, as answers and requests have them (docs/reference/rest.md,
/// Rows). Of the forms that a request may write it has the ones that answers have.
struct ValueSchema {
    enum Use: Hashable {
        case answer
        case request
        /// A request in which a document in a column would be merged.
        case mergePatch
        /// A path, which has values as texts.
        case path
    }

    let type: ColumnType
    let use: Use
    var isNullable = false
    /// The only texts of a request that the column accepts; empty where it accepts others.
    var labels: [String] = []

    var part: DocumentPart {
        if type == .json { return document }
        let members = self.members
        let types =
            type == .decimal && use != .answer && use != .path ? ["string", "number"] : name
        let all = isNullable ? types + ["null"] : types
        let head: DocumentPart = ["type": all.count == 1 ? .text(all[0]) : .texts(all)]
        return head.adding(members)
    }

    /// Any document. Where NULL is not allowed, neither is `null`.
    private var document: DocumentPart {
        if use == .answer { return [:] }
        var types = ["array", "string", "number", "boolean"]
        if use != .mergePatch { types.insert("object", at: 0) }
        if isNullable { types.append("null") }
        return types.count == 6 ? [:] : ["type": .texts(types)]
    }

    private var name: [String] {
        switch type {
        case .integer: ["integer"]
        case .boolean: ["boolean"]
        case .real: ["number"]
        default: ["string"]
        }
    }

    private var members: DocumentPart {
        let isAnswer = use == .answer
        switch type {
        case .integer:
            return ["format": "int64", "minimum": .integer(.min), "maximum": .integer(.max)]
        case .real:
            let greatest = Double.greatestFiniteMagnitude
            return isAnswer
                ? ["format": "double"]
                : ["format": "double", "minimum": .real(-greatest), "maximum": .real(greatest)]
        case .decimal: return ["format": "decimal", "pattern": .text(ValuePattern.decimal)]
        case .text:
            guard !labels.isEmpty, use != .answer else { return [:] }
            return ["enum": .list(labels.map { .text($0) } + (isNullable ? [.null] : []))]
        case .blob:
            return use == .path
                ? ["contentEncoding": "base64url", "pattern": .text(ValuePattern.base64URL)]
                : ["contentEncoding": "base64", "pattern": .text(ValuePattern.base64)]
        case .uuid: return ["format": "uuid"]
        case .date:
            return isAnswer
                ? ["format": "date"]
                : ["format": "date", "pattern": .text(ValuePattern.date)]
        case .time(let digits):
            let pattern =
                isAnswer ? ValuePattern.timeOfDay(digits) : ValuePattern.timeOfDay
            return ["format": "time-local", "pattern": .text(pattern)]
        case .timestamp(let digits):
            let pattern =
                isAnswer ? ValuePattern.timestamp(digits) : ValuePattern.timestamp
            return ["format": "date-time-local", "pattern": .text(pattern)]
        case .instant:
            return isAnswer
                ? ["format": "date-time"]
                : ["format": "date-time", "pattern": .text(ValuePattern.instant)]
        case .boolean, .json: return [:]
        }
    }
}

/// Regular expressions that every dialect of JSON Schema's validators reads in the same way.
enum ValuePattern {
    /// What ``DecimalText`` reads.
    static let decimal =
        #"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?0*(1000000|[0-9]{1,6}))?$"#
    static let base64 = encoded("+/", two: "==", three: "=")
    static let base64URL = encoded("_-", two: "", three: "")

    // MARK: Times

    /// 0001 to 9999.
    private static let year = "([1-9][0-9]{3}|0([1-9][0-9]{2}|0([1-9][0-9]|0[1-9])))"
    private static let leapYear =
        "([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)"
    private static let dayOfYear = """
        (0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)\
        |02-(0[1-9]|1[0-9]|2[0-8])
        """
    private static let time = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
    /// More digits of a second than any database has, as far as requests may have them.
    private static let mostDigits = 12

    /// In addition to the format `date`, which has the year 0000.
    static let date = "^\(year)-[0-9]{2}-[0-9]{2}$"
    /// In addition to the format `date-time`, which also has leap seconds and any fraction.
    static let instant =
        "^\(year)-[0-9]{2}-[0-9]{2}T\(time)\(fraction(mostDigits))(Z|[+-][0-9]{2}:[0-9]{2})$"
    static let timestamp =
        "^(\(year)-(\(dayOfYear))|\(leapYear)-02-29)T\(time)\(fraction(mostDigits))$"
    static let timeOfDay = timeOfDay(mostDigits)

    /// - Parameter digits: Of a second at most.
    static func timestamp(_ digits: Int) -> String {
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}T\(time)\(fraction(digits))$"
    }

    /// - Parameter digits: Of a second at most.
    static func timeOfDay(_ digits: Int) -> String { "^(\(time)\(fraction(digits))|24:00:00)$" }

    private static func fraction(_ digits: Int) -> String {
        digits > 0 ? "(\\.[0-9]{1,\(digits)})?" : ""
    }

    // MARK: Base64

    /// The bits that the last character leaves over are zero.
    private static func encoded(_ others: String, two: String, three: String) -> String {
        let any = "[A-Za-z0-9\(others)]"
        return "^(\(any){4})*(\(any)[AQgw]\(two)|\(any){2}[AEIMQUYcgkosw048]\(three))?$"
    }
}
