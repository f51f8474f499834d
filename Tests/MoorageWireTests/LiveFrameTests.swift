import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Frames of a live stream` {
    @Test func `travel in whole milliseconds`() throws {
        let end = Frame.end(End(hasMore: false, wait: .microseconds(4_210_999)))
        #expect(
            String(decoding: end.encoded(), as: UTF8.self) == #"{"end":{"more":false,"wait":4210}}"#
        )
        #expect(
            try Frame(decoding: end.encoded())
                == .end(End(hasMore: false, wait: .milliseconds(4_210))))
    }

    @Test(arguments: [
        #"{"end":{"more":false,"wait":0}}"#, #"{"end":{"more":false,"wait":-1}}"#,
        #"{"end":{"more":false,"wait":86400001}}"#, #"{"end":{"more":false,"wait":1.5}}"#,
        #"{"alive":{}}"#, #"{"alive":{"time":"1"}}"#,
    ])
    func `are refused when they say what cannot be`(text: String) {
        #expect(throws: HubError.self) { try Frame(decoding: Array(text.utf8)) }
    }
}
