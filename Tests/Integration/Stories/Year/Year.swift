import MoorageHub
import MoorageTesting
import MoorageWire

/// Twelve releases of a product in twelve months. Devices edit offline and upgrade when their users
/// like, one sleeps for eight months, the central database is restored twice and moves once.
///
/// All of it comes from a seed. Nothing runs at the same time, and only the story moves the clocks.
final class Year {
    private static let start: Int64 = 1_700_000_000_000
    static let minute: Int64 = 60_000
    private static let day: Int64 = 86_400_000
    /// A month has so many rounds, each five days after the one before.
    private static let rounds = 6

    private let setting: YearSetting
    private(set) var centre: any YearCentre
    let door: YearDoor
    private var devices: [YearDevice] = []
    var random: SeededGenerator
    var ledger = YearLedger()
    private(set) var clock = Year.start
    private(set) var month = 0
    /// The last release of the central database, and whether it is attached.
    private(set) var release = 0
    private(set) var isAttached = true
    var problems: [String] = []
    /// The codes of all suspensions that devices reported.
    var codes: Set<String> = []

    private init(_ setting: YearSetting) throws {
        self.setting = setting
        let centre = try setting.first(clock: Year.start)
        self.centre = centre
        door = YearDoor(centre.hub)
        random = SeededGenerator(seed: setting.seed)
    }

    /// Lets the whole year pass.
    static func run(_ setting: YearSetting) async throws -> Year {
        let year = try Year(setting)
        do {
            try await year.begin()
            for month in 1...12 { try await year.live(month) }
            try await year.end()
        } catch {
            try year.centre.close()
            throw error
        }
        try year.centre.close()
        return year
    }

    // MARK: The months

    private func begin() async throws {
        try centre.execute(Release.beginning)
        for table in ["site", "visit", "memo"] {
            for _ in 0..<10 { try insert(into: table, by: office, at: release) }
        }
        _ = try await centre.hub.attach()
        for number in 1...setting.devices {
            let skew = Int64(random.below(2 * 1_440) - 1_440) * Self.minute
            let device = try YearDevice(
                number: number, seed: setting.seed &* 1_000 &+ UInt64(number), skew: skew,
                door: door)
            devices.append(device)
            try await upgrade(device, to: 0)
        }
    }

    private func live(_ month: Int) async throws {
        self.month = month
        if month == 2 {
            // Its last edits stay on the device.
            devices[0].sleepsUntil = 10
            try await sync(devices[0])
            for _ in 0..<6 { try edit(devices[0]) }
        }
        try passTime(until: Int64(month * 30))
        let next = Release.all[month - 1]
        try centre.execute(next.central(centre.kind))
        (release, isAttached) = (next.number, false)
        if next.number == 11 { try enterContacts() }
        for round in 0..<Self.rounds {
            try passTime(until: Int64(month * 30 + round * 5))
            if round == 1 { try await attach() }
            if [3, 6].contains(month) {
                if round == 3 { try backUp() }
                if round == 5 { try await restore() }
            }
            if month == 8, round == 3 { try await move() }
            for _ in 0..<3 { try edit(office, at: release) }
            for place in devices.indices where devices[place].sleepsUntil <= month {
                try await use(devices[place])
            }
        }
        try await harvest()
    }

    private func end() async throws {
        try passTime(by: Self.day)
        for device in devices { try await upgrade(device, to: YearSchema.lastVersion) }
        for _ in 0..<3 {
            for device in devices { try await sync(device) }
        }
        try await harvest()
        var rows: [String: [String: [String: String]]] = [:]
        for table in YearSchema.tables(at: release) {
            let columns = YearSchema.columns(of: table, at: release).map(\.name)
            rows[table] = try centre.table(table, columns).mapValues {
                YearSchema.named($0, columns)
            }
            problems += ledger.problems(of: table, rows[table] ?? [:], columns: columns)
        }
        for device in devices {
            problems += try await device.problems(rows)
            for suspension in try device.suspensions() {
                problems.append("\(device.name): at the end \(suspension.table) is suspended")
            }
        }
    }

    // MARK: The clock

    func passTime(by milliseconds: Int64) throws {
        clock += milliseconds
        try centre.advance(milliseconds)
    }

    private func passTime(until day: Int64) throws {
        let time = Self.start + day * Self.day
        if time > clock { try passTime(by: time - clock) }
    }

    var when: String { "month \(month), release \(release)" }

    private var office: YearOffice { YearOffice(centre: centre) }

    // MARK: The owner

    /// The rows that release 11 makes of a column.
    private func enterContacts() throws {
        for (id, values) in try centre.table("contact", ["phone"]) {
            let row = YearRow(table: "contact", id: id)
            ledger.insert(row, by: YearLedger.office)
            guard let phone = values[0] else { continue }
            ledger.write(
                phone, YearCell(row: row, column: "phone"), seen: nil, by: YearLedger.office, when)
        }
    }

    private func attach() async throws {
        let report = try await centre.hub.attach()
        isAttached = true
        for table in report.unsupported { problems.append("\(when): \(table.reason)") }
    }

    private func backUp() throws {
        guard let centre = centre as? any RestorableCentre else { return }
        try centre.backUp()
        door.lead(to: centre.hub)
        ledger.backUp()
    }

    /// Brings the backup of ten days ago back. The first time the operator says so, as the guide
    /// advises. The second time the hub has to notice.
    private func restore() async throws {
        guard let centre = centre as? any RestorableCentre else { return }
        // The log goes back with the database.
        try await harvest()
        try centre.restore()
        door.lead(to: centre.hub)
        ledger.restore()
        if month == 3 { _ = try await centre.hub.attach(newEpoch: true) }
    }

    /// The owner copies the rows into another database, in which the hub goes on.
    private func move() async throws {
        try await harvest()
        let next = try setting.second(clock: clock)
        do {
            try next.execute(
                Release.beginning
                    + Release.all.filter { $0.number <= release }.flatMap { $0.central(next.kind) })
            for table in YearSchema.tables(at: release) {
                let columns =
                    YearSchema.columns(of: table, at: release).compactMap {
                        $0.name(at: release)
                    } + (YearSchema.belowSites.contains(table) ? ["site_id"] : [])
                let rows = try centre.table(table, columns).sorted { $0.key < $1.key }
                try next.execute(
                    rows.map { Self.insertion(table, ["id"] + columns, [$0.key] + $0.value) })
            }
            let id = try centre.texts("SELECT value FROM moorage_meta WHERE name = 'hub'")
            try await Self.attach(next.hub, continuing: id.first?.first ?? nil)
        } catch {
            try next.close()
            throw error
        }
        try centre.close()
        centre = next
        door.lead(to: next.hub)
    }

    /// Attaches a database as the hub that had another one before.
    private static func attach(_ hub: Hub, continuing id: String?) async throws {
        _ = try await hub.attach(continuing: id.map { HubMove(hub: $0) })
    }

    /// Enters in the ledger what the hub's log has.
    private func harvest() async throws {
        var filter = ConflictFilter()
        filter.includesDecided = true
        for record in try await centre.hub.conflicts(filter, limit: 1_000_000) {
            for json in [record.mine, record.theirs] {
                ledger.log((json ?? "").split(separator: "\"").map(String.init))
            }
        }
    }
}
