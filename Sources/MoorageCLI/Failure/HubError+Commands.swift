#if Server
    import MoorageWire

    /// What commands without a hub say of it (docs/reference/errors.md, Replica files).
    extension HubError {
        static let noHubAsked = HubError(.unreachable, "This command asks no hub.")
    }
#endif
