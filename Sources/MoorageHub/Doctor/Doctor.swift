import MoorageCore
import MoorageWire

/// Examines a central database for what prevents syncing it, or will. Synchronous.
///
/// It only reads, in one transaction that may do nothing else, and takes no lock that a writer
/// would meet. It works before an attach and after it. It also works for a role that may not read
/// everything: what it could not read is a finding of its own.
struct Doctor {
    let connection: any CentralConnection
    let configuration: HubConfiguration
    var longTransaction = Duration.seconds(60)

    /// - Parameter names: The tables to sync; `nil` for those that are attached, and before an
    ///   attach for all.
    /// - Returns: What it found, the worst first.
    func examine(tables names: [String]?) throws -> [Finding] {
        try connection.begin(.snapshot)
        defer { connection.rollback() }
        let read = try connection.readTables()
        var hub = Attached()
        var findings = try connection.examining("Whether anything is attached") {
            hub.hasMetadata = try connection.hasMetadata()
            return []
        }
        findings += try connection.examining("What was attached") {
            try readAttached(read, into: &hub)
            return hub.findings
        }
        let (central, problems) = keyed(read, known: hub.known)
        findings += problems
        let chosen = names ?? (hub.known.isEmpty ? nil : hub.known.map(\.name))
        findings += unsupported(central, named: names, known: hub.known)
        let planned = planned(central, chosen: chosen)
        findings += planned.findings + otherKeys(planned.tables, known: hub.known)
        if hub.isThere, let names {
            findings += names.filter { name in
                !hub.known.contains { $0.name.hasSameBytes(as: name) }
                    && central.contains { $0.name.hasSameBytes(as: name) }
            }.map { name in
                Finding(
                    .schemaChanged, .problem, table: name,
                    "\(name) is in the configuration and is not attached. Run `moorage attach`.",
                    repair: .attach)
            }
        }
        findings += planned.tables.compactMap { table in
            IntegerKeys.finding(
                table, rules: configuration.rules(for: table.name),
                capacity: central.first { $0.isNamed(table.name) }?.keyCapacity)
        }
        findings += rules(planned.tables)
        let examination = Examination(
            tables: central,
            synced: planned.tables.map { table in
                AttachedTable(
                    number: hub.known.first { $0.name.hasSameBytes(as: table.name) }?.number ?? 0,
                    description: table, scopes: planned.scopes[table.name] ?? [])
            },
            isAttached: hub.hasMetadata,
            attached: hub.isThere
                ? hub.known.filter { !hub.suspended.contains(Identifier($0.name)) } : nil,
            grown: hub.grown, longTransaction: longTransaction)
        findings += try connection.examine(examination)
        var seen: Set<Finding> = []
        return findings.filter { seen.insert($0).inserted }.sorted(by: Finding.areInOrder)
    }

    // MARK: What is attached

    private struct Attached {
        var hasMetadata = false
        /// Whether the attached tables could be read.
        var isThere = false
        /// The tables as attached, with their scopes.
        var known: [AttachedTable] = []
        var suspended: Set<Identifier> = []
        var grown: Set<String> = []
        var findings: [Finding] = []
    }

    private func readAttached(_ central: [CentralTable], into result: inout Attached) throws {
        guard result.hasMetadata else {
            result.findings = [
                Finding(
                    .notAttached, .note, "Nothing is attached yet. Run `moorage attach`.",
                    repair: .attach)
            ]
            return
        }
        let metadata = Metadata(connection: connection)
        do {
            _ = try metadata.facts()
        } catch let error as HubError {
            result.findings.append(
                Finding(
                    .attachOutdated, .problem, error.message,
                    repair: error.code == .metadataTooNew ? .advice : .attach))
            if error.code == .metadataTooNew { return }
        }
        do {
            result.known = try connection.attachedTables()
        } catch let error as HubError {
            result.findings.append(
                Finding(.attachOutdated, .problem, error.message, repair: .attach))
            return
        }
        result.isThere = true
        for table in try metadata.begunTables() {
            result.findings.append(
                Finding(
                    .attachUnfinished, .warning, table: table.name,
                    """
                    An attach of \(table.name) was broken off, or is under way. It is not served until \
                    `moorage attach` has finished it.
                    """, repair: .attach))
        }
        let identity = try metadata.value("identity")
        if let identity, try connection.identity() != identity {
            result.findings.append(
                Finding(
                    .identityChanged, .warning,
                    """
                    This is another database, or another state of it, than the one that was attached: it was \
                    restored, copied or moved. The next exchange begins a new epoch, and replicas reconcile. \
                    If it is a copy, no replica should come here.
                    """, repair: .command("moorage attach --new-epoch")))
        }
        let stale = try TrackingCheck(connection: connection).staleness(of: result.known)
        describe(central, &result, scopes: try metadata.scopes(), stale: stale)
    }

    private func describe(
        _ central: [CentralTable], _ result: inout Attached, scopes: [Int: String],
        stale: [Int: String]
    ) {
        let attached = AttachedSchema(
            tables: result.known.map {
                AttachedTable(number: $0.number, description: $0.description)
            }, central: central, scopes: scopes, problems: stale, configuration: configuration)
        for (name, reason) in attached.suspended.sorted(by: { $0.key < $1.key }) {
            result.findings.append(
                Finding(.schemaChanged, .problem, table: name.text, reason, repair: .attach))
            result.suspended.insert(name)
        }
        if let problem = attached.scopeProblem {
            result.findings.append(Finding(.scopesChanged, .problem, problem, repair: .attach))
        }
        if let problem = attached.columnProblem {
            result.findings.append(Finding(.configuration, .problem, problem))
        }
        for table in result.known where !result.suspended.contains(Identifier(table.name)) {
            guard
                case .supported(let now)? = central.first(where: { $0.isNamed(table.name) })?
                    .keyed(as: table.description).support
            else { continue }
            let new = now.columns.map(\.name).filter { table.description.column(named: $0) == nil }
            if now.columns.map(\.name) != table.description.columns.map(\.name) {
                result.grown.insert(table.name)
            }
            guard !new.isEmpty else { continue }
            result.findings.append(
                Finding(
                    .schemaChanged, .note, table: table.name,
                    """
                    \(table.name) has new columns that are not synced yet: \(new.joined(separator: ", ")). \
                    `moorage attach` takes them up.
                    """, repair: .attach))
        }
    }

    // MARK: Keys

    /// The tables, each with the key that an attach would use.
    private func keyed(
        _ read: [CentralTable], known: [AttachedTable]
    ) -> (tables: [CentralTable], findings: [Finding]) {
        let choice = ChosenKeys(configured: configuration.keys, known: known)
        var findings: [Finding] = []
        let tables = read.map { table -> CentralTable in
            do {
                return try choice.keyed(table)
            } catch {
                let message = (error as? HubError)?.message ?? "\(error)"
                findings.append(Finding(.configuration, .problem, table: table.name, message))
                return table
            }
        }
        return (tables, findings)
    }

    /// Tables that an attach would track by another key than now.
    private func otherKeys(
        _ planned: [TableDescription], known: [AttachedTable]
    ) -> [Finding] {
        planned.compactMap { table in
            guard configuration.keys[table.name] != nil,
                let attached = known.first(where: { $0.name.hasSameBytes(as: table.name) }),
                !table.keyNames.areSameColumns(as: attached.description.keyNames)
            else { return nil }
            return Finding(
                .schemaChanged, .problem, table: table.name,
                """
                The configuration has another key for \(table.name) than the one by which it is attached. Run \
                `moorage attach`.
                """, repair: .attach)
        }
    }

    // MARK: What is to be synced

    private struct Planned {
        var tables: [TableDescription] = []
        var scopes: [String: [ScopePath]] = [:]
        var findings: [Finding] = []
    }

    /// The tables as an attach would describe them, with the rules that devices receive.
    private func planned(_ central: [CentralTable], chosen: [String]?) -> Planned {
        var result = Planned()
        let found = central.compactMap { table -> TableDescription? in
            if let chosen, !chosen.contains(where: table.isNamed) { return nil }
            guard case .supported(let description) = table.support else { return nil }
            return description.travelling(
                configuration.directions[table.name] ?? .both,
                ruledBy: configuration.rules(for: table.name))
        }
        result.tables = found.map { table in
            table.holding(
                table.foreignKeys.filter { foreign in
                    found.contains { $0.name.hasSameBytes(as: foreign.referencedTable) }
                })
        }
        let resolution = ScopeResolution(
            settings: configuration.scopes, tables: result.tables, central: central)
        var messages: [String] = []
        func check(_ work: () throws -> Void) {
            do { try work() } catch {
                let message = (error as? HubError)?.message ?? "\(error)"
                if !messages.contains(message) { messages.append(message) }
            }
        }
        check { try configuration.scopes.check(tables: result.tables.map(\.name)) }
        for table in result.tables {
            check { result.scopes[table.name] = try resolution.paths(of: table) }
            check { _ = try resolution.closed(table) }
        }
        result.findings = messages.map { Finding(.configuration, .problem, $0) }
        for name in chosen ?? [] where !central.contains(where: { $0.isNamed(name) }) {
            result.findings.append(
                Finding(
                    .configuration, .problem, table: name,
                    """
                    The central database has no table \(name). Correct the name in the configuration, or run \
                    `moorage attach` to go on without it.
                    """))
        }
        return result
    }

    /// Rules that do not fit would stop every exchange.
    private func rules(_ tables: [TableDescription]) -> [Finding] {
        tables.compactMap { table in
            configuration.rules(for: table.name).problem(in: table).map {
                Finding(.configuration, .problem, table: table.name, $0)
            }
        }
    }

    /// - Parameter named: The tables that the caller asked for. Other tables were left out on
    ///   purpose.
    private func unsupported(
        _ central: [CentralTable], named: [String]?, known: [AttachedTable]
    ) -> [Finding] {
        central.compactMap { table in
            guard case .unsupported(let reason) = table.support else { return nil }
            let isWanted =
                named?.contains(where: table.isNamed) == true
                || known.contains { table.isNamed($0.name) }
            if named != nil, !isWanted { return nil }
            return Finding(
                .tableUnsupported, isWanted ? .problem : table.repair.isEmpty ? .note : .warning,
                table: table.name, reason, repair: .sql(orAdvice: table.repair))
        }
    }
}

extension CentralTable {
    fileprivate func isNamed(_ name: String) -> Bool { self.name.hasSameBytes(as: name) }
}
