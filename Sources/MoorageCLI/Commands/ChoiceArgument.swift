#if Server
    import ArgumentParser

    /// One case of an enumeration of another module, by its raw value.
    struct ChoiceArgument<Choice>: ExpressibleByArgument
    where Choice: RawRepresentable<String> & CaseIterable & Sendable {
        let choice: Choice

        init(_ choice: Choice) { self.choice = choice }

        init?(argument: String) {
            guard let choice = Choice(rawValue: argument) else { return nil }
            self.choice = choice
        }

        var defaultValueDescription: String { choice.rawValue }

        static var allValueStrings: [String] { Choice.allCases.map(\.rawValue) }
    }
#endif
