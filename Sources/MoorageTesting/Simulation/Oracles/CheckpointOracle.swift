import MoorageCore
import MoorageWire

/// Within one epoch a device's checkpoint never goes back, unless its file did.
struct CheckpointOracle {
    private var latest: [Int: (epoch: String, number: Int64)] = [:]

    mutating func forget(_ device: Int) { latest[device] = nil }

    mutating func check(_ device: SimulatedDevice) throws {
        let cursor = try device.cursor()
        guard let epoch = cursor.epoch?.text, let checkpoint = cursor.checkpoint?.text,
            let number = checkpoint.split(separator: ":").first.flatMap({ Int64($0) })
        else { return }
        if let last = latest[device.number], last.epoch == epoch, number < last.number {
            throw Violation(
                .cursor, "device \(device.number) went from mark \(last.number) back to \(number)")
        }
        latest[device.number] = (epoch, number)
    }
}
