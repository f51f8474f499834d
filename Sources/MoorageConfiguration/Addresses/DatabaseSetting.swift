#if Server
    /// The central database as it was set: its address, and how it was written.
    package struct DatabaseSetting: Sendable {
        package let address: DatabaseAddress
        /// The address as written, with variables by their names and without a password that is in
        /// the text itself.
        let written: String

        init(_ text: SubstitutedText) throws(CommandFailure) {
            self.init(try DatabaseAddress(text.text), text)
        }

        /// Reads an argument of the command line, as ``DatabaseAddress`` does.
        package init(
            argument text: String, environment: [String: String]
        ) throws(CommandFailure) {
            self.init(
                try DatabaseAddress(argument: text, environment: environment),
                try Substitution(environment: environment).fill(text))
        }

        private init(_ address: DatabaseAddress, _ text: SubstitutedText) {
            self.address = address
            written =
                switch address {
                case .sqlite: text.written(hiding: [])
                case .postgres, .mysql:
                    text.written(hiding: DatabaseAddress.passwordRanges(in: text.text))
                }
        }
    }
#endif
