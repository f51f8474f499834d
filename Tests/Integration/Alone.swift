import Testing

/// Suites that disturb all others on their server. `Scripts/test` runs them in a process of their
/// own after the others end.
@Suite(.serialized) enum Alone {}
