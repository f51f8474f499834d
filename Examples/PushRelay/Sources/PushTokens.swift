#if Server
    import Foundation

    /// The push token of each replica, in a JSON file that is written as a whole.
    actor PushTokens {
        enum Failure: Error {
            case full
        }

        private struct Entry: Codable {
            let push: PushToken
            /// Seconds since 1970.
            let registeredAt: Int64
        }

        /// Beyond this, a registration is refused. A larger app needs a database.
        static let standardLimit = 10_000
        /// After as many seconds without its app, a registration makes room. A hub watches no
        /// replica that is away for longer than 30 days.
        static let maximumAge: Int64 = 60 * 86_400
        /// The same registration is not written again for as many seconds.
        private static let renewal: Int64 = 86_400

        private let file: URL
        private let limit: Int
        private var entries: [String: Entry]

        /// Reads the file, if there is one, and writes it.
        ///
        /// - Throws: ``SettingsError`` for a file that cannot be read or written.
        init(file path: String, limit: Int = standardLimit) throws(SettingsError) {
            file = URL(fileURLWithPath: path)
            self.limit = limit
            do {
                entries =
                    FileManager.default.fileExists(atPath: path)
                    ? try JSONDecoder().decode([String: Entry].self, from: Data(contentsOf: file))
                    : [:]
            } catch {
                throw SettingsError(
                    variable: "PUSH_TOKEN_FILE",
                    advice: """
                        Repair \(path), or move it away. Without it, each app registers again at \
                        its next launch.
                        """)
            }
            do {
                try Self.write(entries, to: file)
            } catch {
                throw SettingsError(
                    variable: "PUSH_TOKEN_FILE",
                    advice: "Name a file in a folder that this user can write, not \(path).")
            }
        }

        subscript(replica: String) -> PushToken? { entries[replica]?.push }

        /// Registers a replica's token, and replaces an older one.
        ///
        /// - Parameter now: Seconds since 1970.
        /// - Throws: ``Failure/full``, and what writing the file throws. Then nothing is changed.
        func register(_ push: PushToken, for replica: String, now: Int64) throws {
            if let entry = entries[replica], entry.push == push,
                entry.registeredAt > now - Self.renewal
            {
                return
            }
            var next = entries
            if next[replica] == nil, next.count >= limit {
                next = next.filter { $0.value.registeredAt > now - Self.maximumAge }
                guard next.count < limit else { throw Failure.full }
            }
            next[replica] = Entry(push: push, registeredAt: now)
            try write(next)
        }

        /// Removes a replica's token.
        ///
        /// - Throws: What writing the file throws. Then nothing is changed.
        func remove(_ replica: String) throws {
            guard let entry = entries[replica] else { return }
            try remove([replica: entry.push])
        }

        /// Removes tokens of replicas. A newer token of such a replica stays.
        ///
        /// - Throws: What writing the file throws. Then nothing is changed.
        func remove(_ gone: [String: PushToken]) throws {
            let next = entries.filter { gone[$0.key] != $0.value.push }
            if next.count < entries.count { try write(next) }
        }

        private func write(_ next: [String: Entry]) throws {
            try Self.write(next, to: file)
            entries = next
        }

        private static func write(_ entries: [String: Entry], to file: URL) throws {
            try JSONEncoder().encode(entries).write(to: file, options: .atomic)
        }
    }
#endif
