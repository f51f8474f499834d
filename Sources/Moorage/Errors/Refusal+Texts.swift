import MoorageCore

/// Changes that this device does not send. They stay in the log.
extension Refusal {
    /// - Parameter column: With its table, here and below.
    static func invalidText(_ column: String) -> Refusal {
        Refusal(
            code: .invalidText,
            message: """
                \(column) has text that is not UTF-8. The change stays on this device. Correct the \
                text, and the change is sent.
                """)
    }

    static func valueTooLarge(_ column: String, most bytes: Int) -> Refusal {
        Refusal(
            code: .tooLarge,
            message: """
                \(column) is larger than \(bytes) bytes, the most that the hub accepts. The change \
                stays on this device. Make the value smaller, and the change is sent.
                """)
    }

    static func groupTooLarge(
        _ size: (rows: Int, bytes: Int), most: (rows: Int, bytes: Int)
    ) -> Refusal {
        Refusal(
            code: .tooLarge,
            message: """
                The group of this change has \(size.rows) rows with \(size.bytes) bytes. A batch \
                may have \(most.rows) rows and \(most.bytes) bytes at most. The group stays on \
                this device. Revert it, and make smaller groups.
                """)
    }

    static func keyIsNull(_ column: String) -> Refusal {
        Refusal(
            code: .notNull,
            message: """
                \(column) is part of the key, and NULL. The change stays on this device. Fill it \
                in, and the change is sent.
                """)
    }

    static func keyInBytes(_ column: String, type: String) -> Refusal {
        Refusal(
            code: .type,
            message: """
                \(column) is part of the key and has bytes where \(type) belongs. The change stays \
                on this device. Write it as \(type), and the change is sent.
                """)
    }

    /// - Parameter uuids: The form in which UUIDs are stored, in words.
    static func keyInOtherForm(_ column: String, type: String, uuids: String) -> Refusal {
        Refusal(
            code: .type,
            message: """
                \(column) is part of the key, and not in the form in which \(type) is stored. That \
                form is \(uuids) for a UUID, and no zeros at the end of a number. The change stays \
                on this device. Write it in that form, and the change is sent.
                """)
    }

    static func groupBlocked(by table: String) -> Refusal {
        Refusal(
            code: .group,
            message: """
                This change is part of a group, and the group's change of \(table) cannot be sent. \
                The group stays on this device. Correct that change first.
                """)
    }
}

/// Values in the list of refused changes that the hub did not refuse.
extension Refusal {
    static func hubWritesAlone(_ columns: [String], of table: Identifier) -> Refusal {
        Refusal(
            code: .readOnly,
            message: """
                Only the hub writes \(columns.joined(separator: ", ")) of \(table), so what the \
                app wrote there was not sent. This list keeps it. Do not write such a column in \
                the app.
                """)
    }

    static let goneAtHub = Refusal(
        code: .recovered,
        message: """
            The server does not have this row any more, so the replica removed it here. This list \
            keeps the row. Retry the entry to write the row again, or dismiss it.
            """)

    static let changedUnlogged = Refusal(
        code: .recovered,
        message: """
            The row changed at the server while nothing was logged here, and the server's row \
            remains. This list keeps the local row. Retry the entry to write the row again, or \
            dismiss it.
            """)

    static let rowNotHere = Refusal(
        code: .recovered,
        message: """
            The hub's history began again from an earlier state, which may lack this change. The \
            row is not on this device any more, so the change was not sent again. Retry an insert, \
            or make the change where the row is.
            """)

    static let notRekeyed = Refusal(
        code: .recovered,
        message: """
            The hub gave another key to this row, or to one that it refers to, and the row here \
            could not follow. This list keeps what was edited since. Correct the row by hand.
            """)
}
