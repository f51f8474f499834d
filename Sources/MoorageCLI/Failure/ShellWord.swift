#if Server
    import MoorageConfiguration

    /// Words of a command that a user copies into a shell.
    enum ShellWord {
        /// A command with arguments, as a shell reads it.
        static func line(_ command: String, _ arguments: [String]) -> String {
            TextTable.shown(([command] + arguments.map(quoted)).joined(separator: " "))
        }

        /// The word as a shell reads it.
        static func quoted(_ word: String) -> String {
            let isPlain =
                !word.isEmpty
                && word.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"),
                        UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"):
                        true
                    default: "-_./:@%,+=".utf8.contains(byte)
                    }
                }
            return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
        }
    }
#endif
