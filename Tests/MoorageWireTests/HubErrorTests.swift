import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `An error of the hub` {
    @Test func `says whether another try may go through`() {
        #expect(HubError(.unreachable, "").isTransient)
        #expect(HubError(.busy, "").isTransient)
        #expect(HubError(.databaseError, "", retryAfter: .seconds(1)).isTransient)
        for code: HubError.Code in [
            .unauthorized, .differentHub, .malformed, .tooLarge, .protocolTooOld, .tableSuspended,
        ] {
            #expect(!HubError(code, "").isTransient, "\(code.rawValue)")
        }
    }

    @Test func `describes itself by code and sentence`() {
        #expect("\(HubError(.busy, "Too many exchanges."))" == "busy: Too many exchanges.")
    }
}
