import MoorageHub

/// Why there is no connection. A kind of `failed` means that a later attempt would fail, too. To an
/// error of the kind `unavailable` the command line adds what to do.
extension CentralError {
    // MARK: Sign-in

    static func signInRefused(_ code: UInt32) -> CentralError {
        CentralError(
            .failed,
            """
            The central database refused this user and password (\(code)). Correct them in its \
            URL, or give the user a password.
            """)
    }

    static func databaseForbidden(_ code: UInt32) -> CentralError {
        CentralError(
            .failed,
            """
            The user may not enter this central database (\(code)). Correct the database's name in \
            its URL, or grant the user its rights there (docs/guides/mysql.md).
            """)
    }

    static func databaseMissing(_ code: UInt32) -> CentralError {
        CentralError(
            .failed,
            """
            The central server has no database of this name (\(code)). Correct the name in the \
            URL, or create the database.
            """)
    }

    static func hostForbidden(_ code: UInt32) -> CentralError {
        CentralError(
            .failed,
            """
            The central server accepts no user from this machine (\(code)). Make a user for its \
            host, or for '%'.
            """)
    }

    static func userLocked(_ code: UInt32) -> CentralError {
        CentralError(
            .failed,
            """
            The central database's user is locked (\(code)). Run ALTER USER … ACCOUNT UNLOCK.
            """)
    }

    static func passwordExpired(_ code: UInt32) -> CentralError {
        CentralError(
            .failed,
            """
            The password of the central database's user has expired (\(code)). Set a new one, and \
            write it into the database's URL.
            """)
    }

    // MARK: TLS

    static func tls(_ problem: TLSProblem, _ code: UInt32) -> CentralError {
        switch problem {
        case .notOffered:
            CentralError(
                .failed,
                """
                The central server takes no encrypted connection (\(code)), and the URL asks for \
                one. Set up TLS on the server, or leave `tls` out of the URL.
                """)
        case .authority:
            CentralError(
                .failed,
                """
                No authority that the hub knows has signed the certificate of the central server \
                (\(code)). Name the file of its authority with `ca=` in the URL. With \
                `tls=required` the hub encrypts, and does not check the certificate.
                """)
        case .certificate:
            CentralError(
                .failed,
                """
                The certificate of the central server is not valid for the host in the URL, or is \
                out of date (\(code)). Use the host that the certificate names, or renew it. With \
                `tls=required` the hub encrypts, and does not check the certificate.
                """)
        }
    }

    static func notEncrypted(_ code: UInt32) -> CentralError {
        CentralError(
            .unavailable,
            """
            The hub could not encrypt the connection to the central database as its URL asks \
            (\(code)).
            """)
    }

    // MARK: The server

    static let versionUnknown = CentralError(
        .failed,
        """
        This server does not say which version it has. The hub needs MariaDB 10.6 or newer, or \
        MySQL 8.0.22 or newer.
        """)

    static func serverUnfit(_ problem: String) -> CentralError { CentralError(.failed, problem) }

    // MARK: The connection

    static func noAnswer(_ code: UInt32) -> CentralError {
        CentralError(.unavailable, "The hub cannot reach the central database (\(code)).")
    }

    static func connectionLost(_ code: UInt32) -> CentralError {
        CentralError(.unavailable, "The connection to the central database broke (\(code)).")
    }

    /// - Parameter object: `connection` or `statement`.
    static func noMemory(for object: String) -> CentralError {
        CentralError(.unavailable, "The hub has no memory for another \(object).")
    }
}

extension ServerKind {
    /// Why the hub cannot use this server; `nil` where it can.
    var problem: String? {
        if isMariaDB, version < 100_600 {
            return "The hub needs MariaDB 10.6 or newer, and this server is older. Upgrade it."
        }
        if !isMariaDB, version < 80_022 {
            return "The hub needs MySQL 8.0.22 or newer, and this server is older. Upgrade it."
        }
        return nil
    }
}
