import Testing

/// Suites that are in the way of all others on their server: `Scripts/test` runs them in a process of
/// their own, when the others have ended.
@Suite(.serialized) enum Alone {}
