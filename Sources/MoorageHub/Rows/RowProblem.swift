package import MoorageCore

/// Why a request about rows is not carried out, or not as it was asked.
package struct RowProblem: Error, Hashable, Sendable {
    /// What a program can do about it.
    package enum Kind: Hashable, Sendable {
        /// The request cannot be understood.
        case malformed
        /// The user may not do this.
        case forbidden
        /// There is no such table, column or row for this user.
        case notFound
        /// The row is in the way of the request as it is, or another row is.
        case conflict
        /// A precondition of the request is not met.
        case changed
        /// The values do not fit.
        case unprocessable
        /// A position from which nobody can read on.
        case expired
        /// The answer or the request is too large.
        case tooLarge
        /// Another write of the request failed, and so nothing was written.
        case notWritten
    }

    package let kind: Kind
    /// A stable code.
    package let code: String
    /// A full sentence that says what to do. It names tables and columns, and no values.
    package let message: String

    package init(_ kind: Kind, _ code: String, _ message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }

    /// Why the hub refused a change.
    package init(_ refusal: Refusal) {
        let kind: Kind =
            switch refusal.code {
            case .permission, .readOnly: .forbidden
            case .unique, .foreignKey, .gone, .resurrect, .rule, .trigger, .tableSuspended:
                .conflict
            case .unknownTable, .unknownColumn: .notFound
            case .tooLarge: .tooLarge
            default: .unprocessable
            }
        self.init(kind, refusal.code.rawValue, refusal.message)
    }
}

extension RowProblem {
    static func unknownTable(_ name: String) -> RowProblem {
        RowProblem(
            .notFound, "unknownTable",
            "There is no table \(name) for this user. `GET /v1/tables` lists the tables.")
    }

    static func suspended(_ reason: String) -> RowProblem {
        RowProblem(.conflict, "tableSuspended", reason)
    }

    static func unknownColumn(_ name: String, of table: String) -> RowProblem {
        RowProblem(
            .malformed, "unknownColumn",
            "The table \(table) has no column \(name). `GET /v1/tables` lists the columns.")
    }

    static func unknownRelation(_ name: String, of table: String, known: [String]) -> RowProblem {
        let list = known.isEmpty ? "none" : known.joined(separator: ", ")
        return RowProblem(
            .malformed, "unknownRelation",
            "Nothing of \(table) is related by the name \(name). Its names are: \(list).")
    }

    static func wrongFilter(_ message: String) -> RowProblem {
        RowProblem(.malformed, "filter", message)
    }

    static func notOrdered(_ column: String, of table: String) -> RowProblem {
        RowProblem(
            .malformed, "sort", "Rows of \(table) cannot be sorted by \(column), which is JSON.")
    }

    static let wrongCursor = RowProblem(
        .malformed, "cursor",
        """
        This cursor is not of this table, filter and order. Begin again without a cursor.
        """)

    static let longPosition = RowProblem(
        .malformed, "sort",
        """
        The texts by which these rows are sorted are too long for an address. Sort by another \
        column.
        """)

    static func tooManyRelated(most: Int, bytes: Int) -> RowProblem {
        RowProblem(
            .tooLarge, "tooManyRelated",
            """
            The related rows are more than \(most), or have more than \(bytes) bytes. Ask for \
            fewer rows at once.
            """)
    }

    package static func tooDeep(most: Int) -> RowProblem {
        RowProblem(
            .malformed, "related", "Related rows go \(most) levels deep at most. Leave some out.")
    }

    static func noRow(of table: String) -> RowProblem {
        RowProblem(.notFound, "notFound", "There is no such row of \(table) for this user.")
    }

    static func rowExists(in table: String) -> RowProblem {
        RowProblem(
            .conflict, "exists", "A row of \(table) already has this key. Change it by `PATCH`.")
    }

    static func rowChanged(in table: String) -> RowProblem {
        RowProblem(
            .changed, "changed",
            "The row of \(table) is not as the request expects. Read it again, and decide again.")
    }

    static func keyMissing(of table: String, _ columns: [String]) -> RowProblem {
        RowProblem(
            .unprocessable, "keyMissing",
            """
            A row of \(table) is named by its \(columns.joined(separator: ", ")). Only for a new \
            row the hub makes a key, if that is one whole number or UUID.
            """)
    }

    static func writtenTwice(in table: String) -> RowProblem {
        RowProblem(
            .unprocessable, "writtenTwice",
            "The request writes this row of \(table) twice. Join the two, or send two requests.")
    }

    static func otherKey(of table: String) -> RowProblem {
        RowProblem(
            .unprocessable, "otherKey",
            "The row has another key of \(table) than the one to write. A key never changes.")
    }

    static func otherParent(in table: String, _ parent: String) -> RowProblem {
        RowProblem(
            .unprocessable, "otherParent",
            """
            The row of \(table) names another row of \(parent) than the one that it is nested with. \
            Leave those columns out, or move the row.
            """)
    }

    static func columnsMissing(_ columns: [String], of table: String) -> RowProblem {
        RowProblem(
            .unprocessable, "columnsMissing",
            """
            A whole row of \(table) also has \(columns.joined(separator: ", ")). Name them, or \
            change a part of the row by `PATCH`.
            """)
    }

    static func tooManyWrites(most: Int) -> RowProblem {
        RowProblem(
            .tooLarge, "tooManyWrites",
            "The request writes more than \(most) rows. Send several requests.")
    }

    static func tooManyBytes(most: Int) -> RowProblem {
        RowProblem(
            .tooLarge, "tooLarge",
            "The rows of the request have more than \(most) bytes. Send several requests.")
    }

    static func tooLargeToRepeat(most: Int) -> RowProblem {
        RowProblem(
            .tooLarge, "answerTooLarge",
            """
            The answer has more than \(most) bytes, which is more than the hub keeps for an \
            idempotency key. Nothing was written. Write fewer rows, or ask for \
            `Prefer: return=minimal`.
            """)
    }

    package static func tooManyRead(most: Int) -> RowProblem {
        RowProblem(
            .tooLarge, "tooManyRead",
            """
            The rows that the request names have more than \(most) bytes. Name fewer rows at once.
            """)
    }

    static func unnamedRows(of table: String) -> RowProblem {
        RowProblem(
            .tooLarge, "tooManyRead",
            """
            The request had read as much as it may, and all of table \(table) were rows that no key \
            names. Ask for this table alone, or write its keys in the normal form of their types.
            """)
    }

    static func keptByRules(in table: String) -> RowProblem {
        RowProblem(
            .conflict, "rule",
            "The merge rules of \(table) keep this row. Read it again, and decide again.")
    }

    static let notWritten = RowProblem(
        .notWritten, "notWritten",
        "Another write of the request failed, and so this one was not carried out.")

    static let otherRequest = RowProblem(
        .unprocessable, "otherRequest",
        "Another request came with this idempotency key. Use a new key for each request.")
}
