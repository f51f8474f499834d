#if Server
    import Foundation

    /// Reads environment variables. One that is empty counts as missing.
    struct EnvironmentReading {
        private let variables: [String: String]

        init(_ variables: [String: String]) { self.variables = variables }

        func text(_ name: String) -> String? {
            guard let text = variables[name], !text.isEmpty else { return nil }
            return text
        }

        func required(_ name: String, _ what: String) throws(SettingsError) -> String {
            guard let text = text(name) else {
                throw SettingsError(variable: name, advice: "Set it to \(what).")
            }
            return text
        }

        /// A text of at least 32 bytes.
        func secret(_ name: String) throws(SettingsError) -> String {
            let minimum = WebhookSignature.minimumSecretBytes
            let secret = try required(name, "a secret, such as of `openssl rand -base64 32`")
            guard secret.utf8.count >= minimum else {
                throw SettingsError(
                    variable: name, advice: "Set a longer secret, of at least \(minimum) bytes.")
            }
            return secret
        }

        func port(_ name: String) throws(SettingsError) -> Int? {
            guard let text = text(name) else { return nil }
            guard let port = UInt16(text) else {
                throw SettingsError(variable: name, advice: "Set a port from 0 to 65535.")
            }
            return Int(port)
        }

        /// An address without a slash at its end: `https`, or `http` on this machine.
        func address(_ name: String, default standard: String) throws(SettingsError) -> String {
            let text = text(name) ?? standard
            guard ServiceAddress.isSafe(text) else {
                throw SettingsError(
                    variable: name,
                    advice: "Set an address with https, without user, query and fragment.")
            }
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        }

        /// The text of a small file that a variable names.
        ///
        /// - Throws: If the variable is not set, or the file cannot be read.
        func file(_ name: String, _ what: String) throws(SettingsError) -> String {
            let path = try required(name, "the path of \(what)")
            do {
                return try String(contentsOfFile: path, encoding: .utf8)
            } catch {
                throw SettingsError(
                    variable: name, advice: "Name a file that this user can read, not \(path).")
            }
        }
    }
#endif
