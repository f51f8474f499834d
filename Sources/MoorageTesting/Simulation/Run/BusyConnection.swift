import MoorageHub

/// A connection of a database whose write lock another program may hold: then nothing gets a number
/// before a page is read.
final class BusyConnection: ForwardingConnection {
    private let machine: SimulatedMachine

    init(_ base: any CentralConnection, on machine: SimulatedMachine) {
        self.machine = machine
        super.init(base)
    }

    override func numberChanges() throws {
        if machine.isBusy { return }
        try super.numberChanges()
    }
}
