import MoorageHub

/// A connection to a database whose write lock another program may have. While it has the lock, no
/// row gets a number before a page is read.
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
