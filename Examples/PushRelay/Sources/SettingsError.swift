#if Server
    /// A setting that is missing or wrong, and what to do about it. It quotes no secrets.
    struct SettingsError: Error, CustomStringConvertible {
        /// The environment variable.
        let variable: String
        /// What to set, as a sentence.
        let advice: String

        var description: String { "\(variable): \(advice)" }
    }
#endif
