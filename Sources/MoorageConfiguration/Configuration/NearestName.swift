#if Server
    /// Finds what somebody meant to type.
    package enum NearestName {
        /// The name that takes the fewest edits, when they are few enough to be a slip.
        static func of(_ text: String, among names: [String]) -> String? {
            let text = text.lowercased()
            let best = names.map { (name: $0, distance: distance(text, $0.lowercased())) }
                .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
            guard let best, best.distance <= max(2, best.name.count / 3) else { return nil }
            return best.name
        }

        /// What to ask somebody who may have meant one of the names.
        package static func question(for text: String, among names: [String]) -> String? {
            of(text, among: names).map { "Did you mean `\($0)`?" }
        }

        /// Levenshtein's distance.
        static func distance(_ left: String, _ right: String) -> Int {
            let right = Array(right)
            var row = Array(0...right.count)
            for (line, character) in left.enumerated() {
                var diagonal = row[0]
                row[0] = line + 1
                for column in right.indices {
                    let replaced = diagonal + (character == right[column] ? 0 : 1)
                    diagonal = row[column + 1]
                    row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
                }
            }
            return row[right.count]
        }
    }
#endif
