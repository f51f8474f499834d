import Testing

/// Suites that search instead of judging: `Scripts/nightly` runs them by part.
@Suite enum Night {}
