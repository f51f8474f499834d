import Foundation

/// What the test runner said in its event stream (`swift test --event-stream-output-path`).
struct TestEvents {
    struct Issue {
        let testID: String
        let argument: String?
        let place: String
        let message: String
    }

    /// The test's name for an issue that belongs to no test.
    static let noTest = "no test"

    /// The ids of tests; suites start and end, too.
    private var tests: Set<String> = []
    private(set) var started: [String] = []
    private(set) var ended: Set<String> = []
    private(set) var skipped: Set<String> = []
    private(set) var issues: [Issue] = []
    private(set) var hasEnded = false
    /// The file contains a record of no known form, whose content is lost.
    private(set) var isUnreadable = false

    /// - Parameter path: A file that is not there is a process that did nothing.
    init(contentsOf path: String) {
        let data = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
        let lines = data.split(separator: UInt8(ascii: "\n"))
        for (index, line) in lines.enumerated() {
            if let record = try? JSONDecoder().decode(Record.self, from: Data(line)) {
                add(record.payload)
            } else if index < lines.count - 1 || hasEnded {
                isUnreadable = true
            }
            // Otherwise the last line of a process that died is cut.
        }
    }

    private mutating func add(_ payload: Payload) {
        switch payload.kind {
        case "function":
            if let id = payload.id { tests.insert(id) }
        case "testStarted":
            if let id = payload.testID, tests.contains(id) { started.append(id) }
        case "testEnded":
            if let id = payload.testID { ended.insert(id) }
        case "testSkipped":
            if let id = payload.testID { skipped.insert(id) }
        case "issueRecorded":
            guard let issue = payload.issue, !issue.isKnown, issue.severity != "warning" else {
                return
            }
            issues.append(
                Issue(
                    testID: payload.testID ?? Self.noTest, argument: payload._testCase?.displayName,
                    place: issue.sourceLocation.map { "\($0.fileID):\($0.line)" } ?? "no place",
                    message: (payload.messages ?? []).map(\.text).joined(separator: " // ")))
        case "runEnded": hasEnded = true
        default: break
        }
    }

    /// The tests that failed, in the order of their first issue.
    var failed: [String] {
        var seen: Set<String> = []
        return issues.map(\.testID).filter { seen.insert($0).inserted }
    }

    /// The tests that had begun and not ended.
    var unfinished: [String] { started.filter { !ended.contains($0) } }

    /// How many tests ran to their end.
    var count: Int { started.filter { ended.contains($0) && !skipped.contains($0) }.count }

    private struct Record: Decodable {
        let payload: Payload
    }

    private struct Payload: Decodable {
        let kind: String
        let id: String?
        let testID: String?
        let issue: IssueRecord?
        let messages: [Message]?
        let _testCase: TestCase?
    }

    private struct IssueRecord: Decodable {
        let isKnown: Bool
        let severity: String?
        let sourceLocation: Place?
    }

    private struct Place: Decodable {
        let fileID: String
        let line: Int
    }

    private struct Message: Decodable {
        let text: String
    }

    private struct TestCase: Decodable {
        let displayName: String?
    }
}
