#if Server
    package import MoorageCore

    /// Members of the objects that commands print.
    extension JSONWriter {
        /// An object with one member, which is an object.
        package static func line(
            _ kind: String, _ members: (inout JSONWriter) -> Void
        ) -> String {
            var writer = JSONWriter()
            writer.object {
                $0.name(kind)
                $0.object(members)
            }
            return String(decoding: writer.bytes, as: UTF8.self)
        }

        package mutating func member(_ name: String, _ text: String?) {
            self.name(name)
            if let text { string(text) } else { null() }
        }

        package mutating func member(_ name: String, _ number: Int64) {
            self.name(name)
            integer(number)
        }

        /// Milliseconds since 1970.
        package mutating func member(_ name: String, _ time: HubTime) {
            member(name, time.milliseconds)
        }

        /// A document that was written before; null for none.
        package mutating func member(_ name: String, document text: String?) {
            self.name(name)
            if let text, let document = try? JSON(parsing: text) { json(document) } else { null() }
        }
    }
#endif
