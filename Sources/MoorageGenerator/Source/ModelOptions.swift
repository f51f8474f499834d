/// How generated records look.
package struct ModelOptions: Hashable, Sendable {
    /// Who may use the records.
    package enum Access: String, CaseIterable, Sendable {
        case `internal`, package, `public`

        /// The modifier before each declaration, with a blank behind it.
        var prefix: String { self == .internal ? "" : rawValue + " " }
    }

    /// How the records store UUIDs.
    package enum UUIDs: String, CaseIterable, Sendable {
        /// As text of 36 characters, as a hub's rows have them: `TextUUID`.
        case text
        /// As 16 bytes, as records of GRDB do: `UUID`.
        case blob
    }

    package let access: Access
    package let uuids: UUIDs

    package init(access: Access = .internal, uuids: UUIDs = .text) {
        self.access = access
        self.uuids = uuids
    }
}
