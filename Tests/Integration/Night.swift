import Testing

/// Suites that search for failures with random seeds. `Scripts/nightly` runs them by part.
@Suite enum Night {}
