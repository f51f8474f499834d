#if Server
    import MoorageCore
    import MoorageHub
    import MoorageSupport

    extension Principal {
        /// Whether the hub's tables can store a text as a user's name.
        static func isSubject(_ text: String) -> Bool {
            (1...255).contains(text.utf8.count) && !text.utf8.contains(0)
        }
    }

    /// The claims of a token with a valid signature.
    struct TokenClaims {
        private let payload: JSON

        init(_ payload: JSON) { self.payload = payload }

        /// - Parameter now: Seconds since 1970.
        func check(_ rules: TokenRules, now: Double) throws(TokenRefusal) {
            guard case .string(let issuer)? = payload["iss"],
                issuer.utf8.elementsEqual(rules.issuer.utf8)
            else { throw TokenRefusal("It is of another issuer.") }
            guard isFor(rules.audience) else { throw TokenRefusal("It is for another audience.") }
            let leeway = rules.leeway.inSeconds
            guard let end = try time("exp") else { throw TokenRefusal("It has no end.") }
            guard now < end + leeway else { throw TokenRefusal("It has expired.") }
            guard end - now <= rules.maximumLife.inSeconds else {
                throw TokenRefusal("Its end is too far away.")
            }
            if let start = try time("nbf"), now < start - leeway {
                throw TokenRefusal("It is not good yet.")
            }
        }

        /// How long the token stays valid after a check.
        ///
        /// - Parameter now: Seconds since 1970.
        func life(at now: Double) throws(TokenRefusal) -> Duration {
            .milliseconds(Int64(max(0, (try time("exp") ?? now) - now) * 1_000))
        }

        private func isFor(_ audience: String) -> Bool {
            func isSame(_ json: JSON) -> Bool {
                guard case .string(let text) = json else { return false }
                return text.utf8.elementsEqual(audience.utf8)
            }
            guard let json = payload["aud"] else { return false }
            if case .array(let list) = json { return list.contains(where: isSame) }
            return isSame(json)
        }

        private func time(_ name: String) throws(TokenRefusal) -> Double? {
            guard let json = payload[name] else { return nil }
            guard case .number(let text) = json, let seconds = Double(text), seconds.isFinite,
                seconds >= 0
            else { throw TokenRefusal("Its `\(name)` is no time.") }
            return seconds
        }

        /// The token's user. The hub compares `sub` unchanged, by its bytes.
        func principal() throws(TokenRefusal) -> Principal {
            guard case .string(let subject)? = payload["sub"], Principal.isSubject(subject),
                !subject.utf8.starts(with: APIKey.subjectPrefix.utf8)
            else { throw TokenRefusal("Its `sub` names no user.") }
            var claims: [String: [String]] = [:]
            guard case .object(let members) = payload else {
                return Principal(subject: subject)
            }
            for member in members { Self.add(member.value, as: member.name, to: &claims) }
            return Principal(subject: subject, claims: claims)
        }

        /// An object's members are claims of their own, such as `realm_access.roles`. A claim that
        /// has this very name takes precedence.
        private static func add(_ json: JSON, as name: String, to claims: inout [String: [String]])
        {
            switch json {
            case .object(let members):
                for member in members {
                    let path = "\(name).\(member.name)"
                    if claims[path] == nil { add(member.value, as: path, to: &claims) }
                }
            case .array(let list): claims[name] = list.compactMap(text)
            default: claims[name] = text(json).map { [$0] }
            }
        }

        private static func text(_ json: JSON) -> String? {
            switch json {
            case .string(let text): text
            case .bool(let flag): String(flag)
            // `5.0` and `5e0` are the number 5, but cannot name a scope.
            case .number(let text): Int64(text).map(String.init)
            case .null, .array, .object: nil
            }
        }
    }
#endif
