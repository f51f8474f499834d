import Foundation

/// A database's schema as its own tools dump it, to compare it with an earlier dump.
enum SchemaDump {
    /// - Returns: `nil` where the tool is missing. The reason is printed.
    static func text(_ centre: any Centre, folder: TemporaryFolder) async throws -> String? {
        switch centre {
        case let centre as SQLiteCentre: try sqlite(centre)
        case let centre as PostgresCentre: try await postgres(centre.url, folder)
        case let centre as MySQLCentre: try await mariadb(centre.url, folder)
        default: nil
        }
    }

    private static func sqlite(_ centre: SQLiteCentre) throws -> String {
        var text =
            try centre.text(
                """
                SELECT group_concat(line, char(10)) FROM (
                  SELECT type || '|' || name || '|' || tbl_name || '|' || coalesce(sql, '') AS line
                  FROM sqlite_master ORDER BY type, name)
                """) ?? ""
        for pragma in ["user_version", "application_id", "encoding", "journal_mode", "auto_vacuum"]
        {
            text += "\n\(pragma) \(try centre.text("PRAGMA \(pragma)") ?? "")"
        }
        if text.contains("sqlite_sequence") {
            let names =
                "SELECT group_concat(name) FROM (SELECT name FROM sqlite_sequence ORDER BY name)"
            text += "\n\(try centre.text(names) ?? "")"
        }
        return text
    }

    private static func postgres(_ url: String, _ folder: TemporaryFolder) async throws -> String? {
        guard let program = program("pg_dump", beside: "/usr/lib/postgresql"),
            var parts = URLComponents(string: url)
        else { return nil }
        let password = parts.password ?? ""
        parts.password = nil
        let dump = try await run(
            program, ["--schema-only", "--create", parts.string ?? url], ["PGPASSWORD": password],
            folder)
        // These two lines of a dump have a random word.
        return dump.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("\\restrict") && !$0.hasPrefix("\\unrestrict") }
            .joined(separator: "\n")
    }

    private static func mariadb(_ url: String, _ folder: TemporaryFolder) async throws -> String? {
        guard let program = program("mariadb-dump") ?? program("mysqldump"),
            let parts = URLComponents(string: url)
        else { return nil }
        let dump = try await run(
            program,
            [
                "--no-defaults", "--host=\(parts.host ?? "")", "--port=\(parts.port ?? 3306)",
                "--protocol=tcp", "--user=\(parts.user ?? "")", "--no-data", "--routines",
                "--triggers", "--events", "--skip-dump-date", String(parts.path.dropFirst()),
            ], ["MYSQL_PWD": parts.password ?? ""], folder)
        // The counter depends on the rows, not on the schema.
        return dump.replacing(/\ AUTO_INCREMENT=[0-9]+/, with: "")
    }

    private static func run(
        _ program: URL, _ arguments: [String], _ environment: [String: String],
        _ folder: TemporaryFolder
    ) async throws -> String {
        let process = try ChildProcess(
            arguments, environment: environment, folder: URL(fileURLWithPath: folder.path("")),
            program: program)
        let status = await process.wait()
        let text = process.text
        try process.removeOutput()
        guard status == 0 else {
            throw ChildProcess.Failure(
                description:
                    "\(program.lastPathComponent) ended with \(status): \(text.suffix(500))")
        }
        return text
    }

    /// - Parameter folder: Has a folder for each version of the tool. The newest version is used.
    private static func program(_ name: String, beside folder: String? = nil) -> URL? {
        let files = FileManager.default
        var places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { "\($0)/\(name)" }
        if let folder, let versions = try? files.contentsOfDirectory(atPath: folder) {
            let newest = versions.compactMap { Int($0) }.sorted(by: >)
            places = newest.map { "\(folder)/\($0)/bin/\(name)" } + places
        }
        let found = places.first { files.isExecutableFile(atPath: $0) }
        if found == nil { print("schemas: there is no \(name), and dumps are not compared.") }
        return found.map { URL(fileURLWithPath: $0) }
    }
}
