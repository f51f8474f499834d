import GRDB
import MoorageCore
import MoorageTesting
import MoorageWire

@testable import Moorage

extension FuzzTarget {
    /// A hub's whole answer, one frame a line, to a device with local changes and an in-flight
    /// batch.
    static let answer = FuzzTarget(
        name: "answer", words: messageWords + FuzzedHub.names + ["id", "email", "boss", "a", "b"],
        seed: { random in try FuzzedDevice.randomAnswer(using: &random) },
        problem: { bytes in try answerProblem(bytes) })

    private static func answerProblem(_ bytes: [UInt8]) throws -> String? {
        let device = try FuzzedDevice()
        var exchange = Exchange(try FuzzedDevice.firstRequest())
        for line in bytes.split(separator: 0x0A).prefix(20) {
            guard let frame = try? Frame(decoding: Array(line)) else { break }
            let before = try device.localChanges()
            do {
                let effect = try exchange.received(device.fitting(frame))
                try device.carryOut(effect)
                if let problem = try device.problem(after: effect, localChanges: before) {
                    return problem
                }
            } catch let error where error is ReplicaError || error is HubError {
                // A refused frame must change nothing.
                if try device.localChanges() != before { return "a refused frame changed the log" }
                return try device.damage()
            }
        }
        return nil
    }
}
