import Foundation
import Moorage
import TestSupport
import Testing

@testable import MoorageUI

@Suite(.ownThreads) struct `Words for a status` {
    private static let headlines: [(ReplicaHeadline, String)] = [
        (.upToDate, "Up to date"), (.working(fraction: nil), "Syncing"),
        (.offline(since: nil), "Offline"), (.signInRequired, "Sign in to sync"),
        (.updateRequired, "Update the app to sync"),
        (.attention(count: 1), "1 item needs attention"),
        (.attention(count: 2), "2 items need attention"),
    ]

    @Test func `there is a title and a symbol for each headline`() {
        for (headline, title) in Self.headlines {
            #expect(ReplicaTexts().title(headline) == title)
        }
        #expect(Set(Self.headlines.map(\.0.symbolName)).count == 6)
    }

    @Test func `the second line says how much is here and what waits`() {
        var status = ReplicaStatus()
        status.isCaughtUp = true
        #expect(ReplicaTexts().detail(status) == nil)
        status.isCaughtUp = false
        status.phase = .pulling
        (status.rowsDone, status.rowsExpected) = (1, 3)
        status.pendingCount = 2
        #expect(ReplicaTexts().detail(status) == "33 % received · 2 changes to send")
        var texts = ReplicaTexts()
        texts.pending = { "\($0) Änderungen" }
        status.rowsExpected = nil
        #expect(texts.detail(status) == "2 Änderungen")
    }
}
