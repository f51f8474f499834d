/// Counts what happened in a test's worlds.
struct FireReport: CustomStringConvertible {
    private var worlds = 0
    private var violations = 0
    private var clientKills = 0
    private var inFlight = 0
    private var inTransaction = 0
    private var serverKills = 0
    private var databaseKills = 0
    private var sessionKills = 0
    private var networkFaults = 0
    private var brokenConnections = 0
    private var held = 0
    private var deviceCommits = 0
    private var officeCommits = 0
    private var values = 0
    private var caughtUp = 0
    private var later = 0
    private var trapped = 0

    mutating func add(_ world: FireWorld, problems: [String]) {
        worlds += 1
        violations += problems.count
        serverKills += world.counts.serverKills
        databaseKills += world.counts.databaseKills
        sessionKills += world.counts.sessionKills
        networkFaults += world.counts.networkFaults
        brokenConnections += world.proxy.broken
        held += world.office.held
        officeCommits += world.office.commits
        for device in world.devices {
            clientKills += device.counts.kills
            inFlight += device.counts.inFlight
            inTransaction += device.counts.inTransaction
            deviceCommits += device.counts.commits
            values += device.ledger.tokens.count
            caughtUp += device.counts.caughtUp
            later += device.counts.later
            trapped += device.counts.trapped
        }
    }

    var description: String {
        """
        \(worlds) worlds, \(violations) violations; \(clientKills) kills of a client \
        (\(inTransaction) inside a transaction, \(inFlight) with an in-flight batch), \
        \(serverKills) of a server, \(databaseKills) of the database, \(sessionKills) of a session; \
        \(networkFaults) network faults, \(brokenConnections) connections broken, \
        \(held) transactions held open; \(deviceCommits) transactions on devices with \(values) \
        values, \(officeCommits) of the office; caught up \(caughtUp) times, put off \(later) times, \
        \(trapped) clients ended by Foundation's trap
        """
    }
}
