#if Server
    import Foundation

    /// One event of a webhook's request. What the relay does not need is not read.
    struct WebhookNotice: Decodable, Hashable, Sendable {
        enum Kind: String, Decodable, Hashable, Sendable {
            case news, refused, conflict
        }

        /// One that the hub sends again has the same.
        let id: String
        let kind: Kind
        /// The id of the replica that has news, or whose change it was.
        let replica: String

        private enum CodingKeys: String, CodingKey {
            case id, replica
            case kind = "type"
        }

        /// An event of any hub. What only a later hub reports may have another form.
        private struct Event: Decodable {
            let notice: WebhookNotice?

            init(from decoder: any Decoder) throws {
                let kind = try decoder.container(keyedBy: CodingKeys.self)
                    .decode(String.self, forKey: .kind)
                notice = Kind(rawValue: kind) == nil ? nil : try WebhookNotice(from: decoder)
            }
        }

        /// Reads a request, without events whose kind the relay does not know.
        ///
        /// - Parameter body: `{"events":[{"id":"…","type":"news","replica":"…"},…]}`.
        /// - Throws: `DecodingError` for a body of another form.
        static func read(_ body: Data) throws -> [WebhookNotice] {
            struct Message: Decodable { let events: [Event] }
            return try JSONDecoder().decode(Message.self, from: body).events.compactMap(\.notice)
        }
    }
#endif
