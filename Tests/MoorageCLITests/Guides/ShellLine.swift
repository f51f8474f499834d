#if Server
    /// One command of a shell block, as its words.
    struct ShellLine {
        /// The program's name and its arguments, without quotes, comments and assignments.
        let words: [String]

        /// Reads one line; variables keep their `$`, and a trailing `&` goes.
        init(_ line: String) {
            // `NAME=$(command)` is the command.
            let inner = line.wholeMatch(of: /[A-Z_]+=\$\((.*)\)/).map { String($0.1) }
            let line = inner ?? line
            var words: [String] = []
            var word: String?
            var quote: Character?
            for character in line {
                if let open = quote {
                    if character == open {
                        quote = nil
                    } else {
                        word = (word ?? "") + "\(character)"
                    }
                    continue
                }
                switch character {
                case "'", "\"":
                    quote = character
                    word = word ?? ""
                case " ":
                    if let found = word { words.append(found) }
                    word = nil
                case "#" where word == nil:
                    self.words = Self.command(words)
                    return
                default: word = (word ?? "") + "\(character)"
                }
            }
            if let found = word { words.append(found) }
            self.words = Self.command(words)
        }

        private static func command(_ words: [String]) -> [String] {
            var words = words
            if words.last == "&" { words.removeLast() }
            return Array(words.drop { $0.contains("=") && !$0.hasPrefix("-") })
        }
    }
#endif
