#if Server
    import MoorageConfiguration

    /// Why the demo failed (docs/reference/errors.md, Load runs and the demo).
    extension CommandFailure {
        static func demoExists(_ folder: String, file: String) -> CommandFailure {
            CommandFailure(
                "The folder has a demo already.", at: folder,
                next: "Name another folder, or remove \(file).")
        }

        static func demoNotCaughtUp(_ device: String) -> CommandFailure {
            CommandFailure("\(device) did not catch up.")
        }

        static func demoRowMissing(_ sql: String) -> CommandFailure {
            CommandFailure("The demo's rows are not there: \(sql)")
        }

        /// - Parameter expected: What is not true, as a sentence without its end.
        static func demoFailed(_ expected: String) -> CommandFailure {
            CommandFailure(
                "The demo failed. This should be true: \(expected).",
                next: "Please report this, with what is printed above.")
        }
    }
#endif
