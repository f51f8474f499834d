import MoorageWire

/// What a REST API answers, and how it is declared.
extension HubError {
    static let restUnauthorized = HubError(
        .unauthorized,
        """
        The server did not accept the app's credentials. No change is lost. Sign in again.
        """)

    static let restAnswerTooLarge = HubError(
        .tooLarge,
        """
        The server's answer is larger than this device accepts. Nothing of it was applied. Fetch \
        the collection in pages, or raise the limit of `RESTLimits`.
        """)

    static let restDifferentUser = HubError(
        .differentUser,
        """
        The file is another user's. Nothing was taken or sent. Start over with the file, or open \
        the other user's file.
        """)

    /// Another process went on with the file meanwhile.
    static let restCursorMoved = HubError(
        .unreachable,
        """
        Another process exchanged with the server meanwhile. No change is lost. The replica tries \
        again.
        """)

    /// A request that is stored may be on its way, and is another process's.
    static let restUnderWay = HubError(
        .busy,
        """
        Another process sends the same changes to the server. No change is lost. The replica tries \
        again.
        """, retryAfter: .seconds(2))

    static func restDifferentHub(_ known: String) -> HubError {
        HubError(
            .differentHub,
            """
            The file is a replica of the hub \(known), and not of this REST API. Nothing was \
            changed. Use another file, or start over with this one.
            """)
    }

    /// A replica of one file, and a hub that remembers the server in another one.
    static let restOtherFile = HubError(
        .configuration,
        """
        This `RESTHub` was made for another database file. Nothing was sent or changed. Make one \
        with the database of this replica.
        """)

    static func restOtherAPI(_ known: String, _ name: String) -> HubError {
        HubError(
            .differentHub,
            """
            The file belongs to the REST API \(known), and not to \(name). Nothing was sent or \
            changed. Use a file of its own for each API, with one `RESTHub` that has all its \
            models. If \(known) has moved, say `name: "\(known)"`.
            """)
    }

    static func restBusy(status: Int, retryAfter: Duration?) -> HubError {
        HubError(
            .busy, "The server answered with status \(status). No change is lost.",
            retryAfter: retryAfter)
    }

    static func restNotOurs(_ sign: String) -> HubError {
        HubError(
            .notOurServer,
            """
            Something answered that is not the REST API (\(sign)): a sign-in page of the network, \
            or a wrong address. No change is lost. Sign in to the network, or correct the address.
            """)
    }

    /// - Parameter path: As the app declares it.
    static func restNotFound(_ path: String, status: Int) -> HubError {
        HubError(
            .notFound,
            """
            The server has no collection \(path) for this request (status \(status)). No change is \
            lost. Correct the path of the model, or the address of the API.
            """)
    }

    /// The row is there, and the server has no way to write it.
    static func restNoRoute(_ method: String, _ path: String, status: Int) -> HubError {
        HubError(
            .notFound,
            """
            The server has the row, and does not take \(method) \(path)/{id} (status \(status)). No \
            change is lost. Correct what the model says about updates, or the API.
            """)
    }

    static func restListRefused(_ path: String, status: Int) -> HubError {
        HubError(
            status == 403 ? .unknownTable : .malformed,
            """
            The server does not answer which rows \(path) has (status \(status)). No change is \
            lost, and other collections were read. Correct what the model says about fetching, or \
            the user's rights.
            """)
    }

    static func restNotAList(_ path: String, _ member: String) -> HubError {
        HubError(
            .malformed,
            """
            The answer for \(path) is no array, and has none in its member \(member). Nothing of \
            it was applied. Name the member where the model says how it is fetched.
            """)
    }

    static func restRowWithoutID(_ path: String, _ fault: RowFault) -> HubError {
        HubError(
            .malformed,
            """
            An answer for \(path) has a row that cannot be read, and whose id is unknown. \
            \(fault.reason) Correct the model, or the API.
            """)
    }

    static func restNoTable(_ table: String) -> HubError {
        HubError(
            .unknownTable,
            """
            No model has the table \(table) with these columns. Nothing was compared. List the \
            record in `RESTHub`.
            """)
    }

    static func restPartial(_ path: String) -> HubError {
        HubError(
            .malformed,
            """
            The answer for \(path) is one page of several, and does not say where the next one is. \
            Nothing of it was applied. Say how the pages follow each other where the model says \
            how it is fetched, such as `.pages()` or `.numbered()`.
            """)
    }

    static func restNoTime(_ path: String, _ member: String) -> HubError {
        HubError(
            .malformed,
            """
            No row in the answer for \(path) has the member \(member). Nothing of it was applied. \
            Name the member with the time of a row's last change.
            """)
    }

    static func restEndless(_ path: String) -> HubError {
        HubError(
            .malformed,
            """
            The pages of \(path) do not end. What came before was applied. Correct what the model \
            says about fetching, or the API.
            """)
    }

    static func restLinkElsewhere(_ path: String) -> HubError {
        HubError(
            .malformed,
            """
            The link to the next page of \(path) is not at the API's server. What came before was \
            applied. Correct the API: its links need the scheme, the host and the port of its \
            address.
            """)
    }

    static func restDeletedWithoutID(_ path: String) -> HubError {
        HubError(
            .malformed,
            """
            An answer for \(path) names a deleted row without its id. Nothing of it was applied. \
            Correct the model, or the API.
            """)
    }

    static func restBatchMismatch(_ path: String) -> HubError {
        HubError(
            .malformed,
            """
            The answer for \(path) does not have one result for each operation. The replica asks \
            for the rows again. Correct the API.
            """)
    }
}

/// How models are declared.
extension HubError {
    static func keyOfSeveralColumns(_ table: String) -> HubError {
        HubError(
            .configuration,
            """
            The primary key of \(table) has several columns, and a path has one id. Nothing was \
            sent. Declare the record as children of another one, or give it a key of one column.
            """)
    }

    static func childWithoutParent(_ child: String, of parent: String) -> HubError {
        HubError(
            .configuration,
            """
            The table \(child) has no foreign key to the primary key of \(parent). Nothing was \
            sent. Add the foreign key, or leave \(child) out of the children of \(parent).
            """)
    }

    static func declaredTwice(_ table: String) -> HubError {
        HubError(
            .configuration,
            """
            The table \(table) belongs to two models. Nothing was sent. List it once, as a model \
            or as children of one.
            """)
    }

    static func pathUnusable(_ path: String, of table: String) -> HubError {
        HubError(
            .configuration,
            """
            The path \(path) of \(table) is no path of a collection. Nothing was sent. Write it \
            like `users` or `v1/users`, without a query.
            """)
    }

    static func putWithoutID(_ table: String) -> HubError {
        HubError(
            .configuration,
            """
            New rows of \(table) go by PUT, and the server makes their ids. Nothing was sent. Send \
            them by POST, or make the ids on the device.
            """)
    }

    static func tableOfNoModel(_ table: String) -> HubError {
        HubError(
            .configuration,
            """
            No model of the REST API has the table \(table). Nothing was changed. List its record \
            in `RESTHub`, or leave it out of `tables`.
            """)
    }

    static let headerUnsendable = HubError(
        .configuration,
        """
        A header of the REST API has a character that no header carries, or a name that Moorage \
        sets itself. Nothing was sent. Correct it.
        """)
}
