import MoorageCore
import MoorageHub

extension CentralConnection {
    /// Now, by the clock of a device that goes as the database's does.
    func deviceTime() throws -> DeviceTime { DeviceTime(milliseconds: try now().milliseconds) }
}
