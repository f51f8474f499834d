import Foundation
import Moorage
import TestSupport
import Testing

@Suite(.ownThreads) struct `The headline of a replica` {
    private static func status(_ change: (inout ReplicaStatus) -> Void) -> ReplicaStatus {
        var status = ReplicaStatus()
        status.phase = .idle
        change(&status)
        return status
    }

    @Test func `is what matters most`() {
        let date = Date(timeIntervalSince1970: 1)
        #expect(ReplicaStatus().headline == .offline(since: nil))
        #expect(Self.status { $0.isCaughtUp = true }.headline == .upToDate)
        #expect(Self.status { _ in }.headline == .working(fraction: nil))
        let stopped = Self.status {
            $0.phase = .stopped
            $0.lastCaughtUp = date
        }
        #expect(stopped.headline == .offline(since: date))
        #expect(Self.status { $0.phase = .updateRequired }.headline == .updateRequired)
        let attention = Self.status {
            $0.refusedCount = 2
            $0.overruledCount = 1
            $0.isCaughtUp = true
        }
        #expect(attention.headline == .attention(count: 2))
    }

    @Test func `says of an error what it takes`() {
        let date = Date(timeIntervalSince1970: 1)
        func headline(
            _ error: ReplicaError, _ change: (inout ReplicaStatus) -> Void = { _ in }
        ) -> ReplicaHeadline {
            Self.status {
                $0.lastError = error
                $0.failingSince = date
                change(&$0)
            }.headline
        }
        let network = ReplicaError(HubError(.unreachable, "no network"))
        #expect(headline(network) == .offline(since: date))
        let copying = headline(network) {
            $0.phase = .pulling
            $0.failingSince = nil
            ($0.rowsDone, $0.rowsExpected) = (1, 4)
        }
        #expect(copying == .working(fraction: 0.25))
        #expect(headline(ReplicaError(HubError(.unauthorized, "who?"))) == .signInRequired)
        #expect(headline(ReplicaError(HubError(.clientTooOld, "old"))) == .updateRequired)
        #expect(headline(ReplicaError(HubError(.notAttached, "no"))) == .attention(count: 1))
        let disk = ReplicaError(.diskFull, "full", recovery: .retry(after: nil))
        #expect(headline(disk) { $0.refusedCount = 1 } == .attention(count: 2))
    }

    @Test func `stays while a replica that has caught up asks for news`() {
        let asking = Self.status {
            $0.phase = .pulling
            $0.isCaughtUp = true
        }
        #expect(asking.headline == .upToDate)
    }

    @Test(arguments: [(0, 10, 0.0), (5, 10, 0.5), (12, 10, 1.0)])
    func `has the share of a copy`(done: Int, expected: Int, fraction: Double) {
        let copying = Self.status {
            $0.phase = .pulling
            $0.rowsDone = done
            $0.rowsExpected = expected
        }
        #expect(copying.headline == .working(fraction: fraction))
        #expect(Self.status { $0.rowsDone = 1 }.headline == .working(fraction: nil))
    }
}
