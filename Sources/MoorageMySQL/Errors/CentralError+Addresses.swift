import MoorageHub

/// What is wrong with the URL of the database. No message repeats the URL.
extension CentralError {
    static let unreadableAddress = CentralError(
        .failed,
        """
        The hub cannot read the address of the central database. It must be a URL like \
        mysql://user:password@host:3306/database. Escape special characters in user and password \
        (%40 for @).
        """)

    /// It does not name the option, which may be a part of a password.
    static let unknownOption = CentralError(
        .failed,
        """
        The URL of the central database has an option other than `tls`, `ca` and `socket`, or one \
        without a value. Correct the option, or leave it out.
        """)

    static let unknownEncryption = CentralError(
        .failed,
        """
        The option `tls` in the URL of the central database must be `preferred`, `required`, \
        `verified` or `disabled`.
        """)
}
