#if Server
    /// A text with the environment's values filled in. It also keeps how it was written.
    struct SubstitutedText {
        private struct Piece {
            var text: String
            /// The variable that it came from.
            let variable: String?
        }

        private var pieces: [Piece] = []

        var text: String { pieces.map(\.text).joined() }

        mutating func append(_ text: some StringProtocol, of variable: String? = nil) {
            if variable == nil, let last = pieces.indices.last, pieces[last].variable == nil {
                pieces[last].text += text
            } else {
                pieces.append(Piece(text: String(text), variable: variable))
            }
        }

        /// The text as it was written: each variable by its name. `***` replaces what is written
        /// directly in the secret ranges.
        ///
        /// - Parameter secrets: Ranges in the bytes of ``text``.
        func written(hiding secrets: [Range<Int>]) -> String {
            var result = ""
            var offset = 0
            for piece in pieces {
                let end = offset + piece.text.utf8.count
                defer { offset = end }
                if let variable = piece.variable {
                    result += "${\(variable)}"
                    continue
                }
                var bytes = Array(piece.text.utf8)
                for secret in secrets.sorted(by: { $0.lowerBound > $1.lowerBound })
                where secret.overlaps(offset..<end) {
                    let hidden = secret.clamped(to: offset..<end)
                    bytes.replaceSubrange(
                        (hidden.lowerBound - offset)..<(hidden.upperBound - offset),
                        with: Array("***".utf8))
                }
                result += String(decoding: bytes, as: UTF8.self).replacing("${", with: "$${")
            }
            return result
        }
    }
#endif
