#if Server
    import MoorageWire

    /// What the devices of a load run say of a hub (docs/reference/errors.md, Load runs and the
    /// demo).
    extension HubError {
        static let historyChanged = HubError(
            .cursorExpired,
            """
            During the run the central history was restored, or the hub forgot a part of it. Start \
            the load run again.
            """)

        static let tablesChanged = HubError(
            .tableSuspended,
            "The central tables changed during the run. Start the load run again.")

        static let otherBatchAnswered = HubError(
            .malformed, "The hub answered a batch that this device did not send.")

        static func batchRefused(_ code: Code) -> HubError {
            HubError(code, "The hub did not accept the batch as it is.")
        }
    }
#endif
