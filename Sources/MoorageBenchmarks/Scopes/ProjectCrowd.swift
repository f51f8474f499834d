import MoorageHub
import MoorageWire

/// Devices of which each has ten projects of a central database. Each project is on five devices,
/// and no two devices have the same.
final class ProjectCrowd {
    let access: ProjectAccess
    private let central: ScopedCentral
    private let size: Int
    private let everyProject: [String]
    private var devices: [ScopedDevice] = []
    private var audience: LiveAudience?
    private var writer: ProjectWriter?

    static let kind = "project"
    static let projectsEach = 10
    /// Two projects a device, so that each is on five of them.
    static func projects(for devices: Int) -> Int { 2 * devices }
    private static let devicesEach = 5

    /// - Parameter size: A multiple of 10.
    init(_ size: Int, with access: ProjectAccess, at central: ScopedCentral) {
        self.size = size
        self.access = access
        self.central = central
        everyProject = (0..<central.items.scopes).map { String($0) }
    }

    /// Replaces the devices by others that have nothing.
    func renew() {
        devices = (0..<size).map { device("user \($0)", projects(of: $0)) }
    }

    /// Lets each device exchange until it has everything.
    ///
    /// - Parameter rows: How many rows come in all.
    func catchUp(bringing rows: Int) throws {
        let came = try devices.reduce(0) { try $0 + $1.catchUp() }
        guard came == rows else {
            throw BenchmarkFailure("\(came) rows came instead of \(rows).")
        }
    }

    /// The rows of all devices.
    var copiedRows: Int { size * Self.projectsEach * central.items.rowsEach }

    /// Changes a row of one project.
    func change(_ number: Int) throws {
        try central.change(central.items.key(0, in: number % central.items.scopes))
    }

    /// Lets each device have the row that changed.
    func catchUpWithChange() throws { try catchUp(bringing: Self.devicesEach) }

    // MARK: Live

    /// Opens a live stream for each device.
    func follow(changesIn projects: Int) async throws {
        audience = try await LiveAudience(of: devices, at: central.hub)
        writer = try ProjectWriter(
            device("writer", Array(0..<projects)), central.items, projects: projects)
    }

    /// Another device changes a row in one project after the other. Before each change all devices
    /// have the one before.
    func hearChanges() async throws {
        guard let audience, let writer else { throw BenchmarkFailure("Nobody follows.") }
        try await writer.writeEach { try await audience.hear(Self.devicesEach) }
    }

    func leave() async {
        await audience?.leave()
        audience = nil
    }

    // MARK: Devices

    private func projects(of device: Int) -> [Int] {
        // An odd step reaches projects of even and of odd numbers as often.
        let all = central.items.scopes
        return (0..<Self.projectsEach).map { (2 * device + (all / 10 + 1) * $0) % all }
    }

    private func device(_ user: String, _ projects: [Int]) -> ScopedDevice {
        let visible =
            access == .subscriptionAmongAll ? everyProject : projects.map { String($0) }
        return ScopedDevice(
            central, of: Principal(subject: user, claims: [Self.kind: visible]),
            requesting: access.isOnRequest
                ? projects.map { RequestedScope(central.items.scope($0)) } : [])
    }
}

/// A device that pushes.
private final class ProjectWriter {
    private let device: ScopedDevice
    private let items: ScopedItems
    private let projects: Int
    private var notes: [Int64: String] = [:]

    init(_ device: ScopedDevice, _ items: ScopedItems, projects: Int) throws {
        self.device = device
        self.items = items
        self.projects = projects
        try device.catchUp()
    }

    /// - Parameter hear: Waits for the change that was pushed.
    func writeEach(_ hear: () async throws -> Void) async throws {
        for project in 0..<projects {
            let key = items.key(1, in: project)
            let old = notes[key] ?? ScopedItems.note(key)
            let new = "\(old)."
            try device.push(new, insteadOf: old, in: key)
            notes[key] = new
            try await hear()
        }
    }
}
