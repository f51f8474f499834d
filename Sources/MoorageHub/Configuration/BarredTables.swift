import MoorageCore
import MoorageWire

/// The tables that one app may not sync, because their owner asks for a newer version of it.
///
/// For this app alone they are suspended. Nothing of them is read for it, so its cursor does not
/// name them: an app that is new enough reads them from the beginning.
struct BarredTables: Sendable {
    /// The version that each of them asks for.
    private let minimums: [Identifier: String]

    /// - Parameter version: What the app says of itself; `nil` where it says nothing.
    init(_ configuration: HubConfiguration, for version: String?) {
        var minimums: [Identifier: String] = [:]
        for (table, minimum) in configuration.minimumClientVersions
        where !ClientVersion.isNewEnough(version, for: minimum) {
            minimums[Identifier(table)] = minimum
        }
        self.minimums = minimums
    }

    func contains(_ table: String) -> Bool { minimums[Identifier(table)] != nil }

    /// Why a table is suspended for this app; `nil` where it is not.
    func reason(of table: String) -> String? {
        minimums[Identifier(table)].map { SuspensionReason.clientTooOld(for: table, minimum: $0) }
    }

    func suspended(among tables: [AttachedTable]) -> [SuspendedTable] {
        if minimums.isEmpty { return [] }
        return tables.compactMap { table in
            reason(of: table.name).map {
                SuspendedTable(name: table.name, reason: $0, code: .clientTooOld)
            }
        }
    }
}
