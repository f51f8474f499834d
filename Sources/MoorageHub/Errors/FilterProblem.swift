import MoorageCore

/// Why the text of a filter cannot be read: full sentences with what to write. They repeat nothing
/// of the text.
enum FilterProblem {
    // MARK: The text

    static func tooLong(most bytes: Int) -> String {
        "The filter is longer than \(bytes) bytes. Shorten it."
    }

    static func tooMany(most count: Int) -> String {
        "The filter has more than \(count) tests and values. Leave some out."
    }

    static func tooDeep(most depth: Int) -> String {
        "The filter has more than \(depth) brackets and `NOT` in each other. Leave some out."
    }

    static let strangeCharacter =
        """
        This character has no meaning here. Put texts into single quotes, and names of other \
        characters into double quotes.
        """
    static let openQuote = "This quote is not closed. Close it, and write a quote in it twice."
    static let nul = "A text cannot have the character NUL. Leave it out."
    static let emptyName = "There is no name between these quotes. Put texts into single quotes."

    static func badNumber(most digits: Int) -> String {
        "This is no number. Write up to \(digits) digits, such as `5`, `-1` or `0.25`."
    }

    // MARK: What follows

    static let noEnd = "The filter goes on behind its end. Join tests with `AND` or `OR`."
    static let openBracket = "A bracket is not closed here. Write `)`, or a `,` between values."
    static let noColumn =
        """
        A test begins with a column. Write its name, in double quotes if it is also a word of SQL.
        """
    static let noNull = "`IS` is for NULL only. Write `IS NULL` or `IS NOT NULL`."
    static let noIn = "`NOT` behind a column is for lists. Write `NOT IN (…)`, or put `NOT` first."
    static let noList = "`IN` needs a list. Write `IN (1, 2)`."

    // MARK: Values

    static let noValue =
        "A value is missing. Write a number, a text in single quotes, `TRUE` or `FALSE`."
    static let comparedWithName =
        "A column is compared with a value, not with a name. Put a text into single quotes."
    static let comparedWithNull = "Nothing equals NULL. Write `IS NULL` or `IS NOT NULL`."

    // MARK: The table

    static let onlyOrder =
        """
        Such numbers are rarely exactly equal. Compare them with `<`, `<=`, `>` or `>=`.
        """
    static let onlyEquality = "Write `=`, `<>`, `IN` or `IS NULL` with this column."
    static let onlyNull = "Of such a column a filter can only ask `IS NULL` or `IS NOT NULL`."

    static func value(of type: ColumnType) -> String {
        switch type {
        case .integer: "Compare it with a whole number of 64 bits."
        case .boolean: "Compare it with `TRUE`, `FALSE`, 0 or 1."
        case .real, .decimal: "Compare it with a number."
        case .uuid: "Compare it with a UUID in single quotes."
        case .date: "Compare it with a date in single quotes, such as `'2026-01-31'`."
        default: "Compare it with a text in single quotes."
        }
    }

    // MARK: Parameters

    static let badParameter =
        """
        A parameter is a colon and a kind of scope, which has up to 50 letters, digits, `_` and \
        `-`. Write `:sub` for the user's name, and `:region` for the claim `region`. For another \
        claim, name a kind under `scopes`.
        """
    static let parameterNotEqual = "A parameter is for equality. Write `column = :name`."
    static let parameterNotAlone =
        "A parameter is the whole value. Write `column = :name` or `column IN (:name)`."
    static let parameterNotOfAll =
        """
        A parameter names the scopes of all rows, so it cannot be part of `OR` or `NOT`. Join it \
        with `AND`, or write two rules under `scope`.
        """
    static let severalParameters =
        """
        A filter has one parameter at most. Use a column that contains both values, or a rule with \
        `members`.
        """
}
