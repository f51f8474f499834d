import MoorageCore
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `The section of a row` {
    private func entry(_ members: String) throws -> ManifestEntry {
        try ManifestEntry(JSON(parsing: #"{"key":1\#(members)}"#))
    }

    private static let states = [
        "", #","version":"a""#, #","modified":1"#, #","digest":"a""#,
    ]
    private static let flags = [
        "", #","synced":true"#, #","synced":false"#, #","deleted":true"#,
    ]
    private static let comparisons: [ManifestSection.Comparison] = [
        .same, .laterHere, .laterThere, .different, .unknown,
    ]

    @Test func `follows from what the client says of it`() throws {
        for state in Self.states {
            for flag in Self.flags {
                let entry = try entry(state + flag)
                let isDeleted = flag.contains("deleted")
                let mayHaveChanged = isDeleted || flag.contains("false")
                for comparison in Self.comparisons {
                    let section = entry.section(comparison)
                    // What the client has changed is never lost silently.
                    if mayHaveChanged { #expect(section != .newerHere) }
                    if flag.contains("true,") { #expect(section != .conflicting) }
                    if section == nil { #expect(comparison == .same && !isDeleted) }
                    if comparison == .laterHere { #expect(section != .newerThere) }
                    #expect(section != .missingHere && section != .missingThere)
                    #expect(section != .gone)
                }
                #expect(entry.sectionWithoutRow(wasHere: true) == .gone)
                let isGone =
                    isDeleted || flag.contains(#"synced":true"#) || state.contains("version")
                #expect(
                    entry.sectionWithoutRow(wasHere: false) == (isGone ? .gone : .missingHere))
            }
        }
    }

    @Test(arguments: [
        "[]", "5", "null", "{}", #"{"version":"a"}"#, #"{"key":1,"version":5}"#,
        #"{"key":1,"version":"a","digest":"b"}"#, #"{"key":1,"version":"a","modified":1}"#,
        #"{"key":1,"synced":1}"#, #"{"key":1,"deleted":"yes"}"#,
        #"{"key":1,"synced":true,"deleted":true}"#, #"{"key":1,"etag":"a"}"#,
        #"{"key":1,"digest":[]}"#,
    ]) func `needs an entry that says one thing`(text: String) throws {
        #expect(throws: RESTProblem.self) { try ManifestEntry(JSON(parsing: text)) }
    }
}
