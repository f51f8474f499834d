import FieldNotesModel
import Foundation
import GRDB
import Moorage
import MoorageUI

/// Field notes on the command line, on the same model as the app with screens. Every command works
/// on the local file alone, but `sync` and `watch`.
@main @MainActor struct FieldNotesCommand {
    private static let usage = """
        usage: fieldnotes [--file field-notes.db] [--hub http://127.0.0.1:8080] <command>

          list                         sites, notes, and which of them are not synced
          add-site <name>
          add-note <site> <text>
          change <note> <text>         a note is named by the first characters of its id
          sync                         send what waits, and get what others wrote
          watch                        stay in sync, and print the notes that change
          status                       whether all is in sync
          conflicts                    my changes that lost against another one
          keep-mine <number>           write my side of a conflict again
          keep-theirs <number>         leave the other side's values

        The user's token comes from FIELDNOTES_TOKEN.
        """

    private let notes: NotesModel
    private let sync: Sync

    static func main() async {
        do {
            var words = Array(CommandLine.arguments.dropFirst())
            let file = option("--file", in: &words) ?? "field-notes.db"
            let hub = option("--hub", in: &words) ?? "http://127.0.0.1:8080"
            guard let command = command(words) else { throw CommandError(usage) }
            guard let url = URL(string: hub) else { throw CommandError("'\(hub)' is no address.") }
            let token = ProcessInfo.processInfo.environment["FIELDNOTES_TOKEN"]
            let database = try AppDatabase.open(at: file)
            let sync = try await Sync(database, hub: url, user: Session(token: token))
            try await command(FieldNotesCommand(notes: NotesModel(database), sync: sync))
        } catch {
            let message = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
            FileHandle.standardError.write(Data("fieldnotes: \(message)\n".utf8))
            exit(1)
        }
    }

    private static func option(_ name: String, in words: inout [String]) -> String? {
        guard let place = words.firstIndex(of: name), place + 1 < words.count else { return nil }
        defer { words.removeSubrange(place...place + 1) }
        return words[place + 1]
    }

    /// What the words ask for; `nil` if they are no command.
    private static func command(
        _ words: [String]
    ) -> (@MainActor (FieldNotesCommand) async throws -> Void)? {
        let arguments = Array(words.dropFirst())
        switch (words.first, arguments.count) {
        case ("list", 0): return { for site in try await $0.notes.fetch() { print(site.text) } }
        case ("add-site", 1): return { try await $0.notes.addSite(arguments[0]) }
        case ("add-note", 2):
            return { try await $0.notes.addNote(arguments[1], at: $0.site(arguments[0])) }
        case ("change", 2):
            return { try await $0.notes.change($0.note(arguments[0]), to: arguments[1]) }
        case ("sync", 0):
            return { command in
                let summary = try await command.sync.replica.sync()
                print("Sent \(summary.changesPushed), received \(summary.rowsReceived).")
            }
        case ("watch", 0): return { try await $0.watch() }
        case ("status", 0): return { print($0.statusLine) }
        case ("conflicts", 0):
            return { for conflict in try await $0.conflicts() { print(conflict.text) } }
        case ("keep-mine", 1):
            return { try await $0.sync.replica.reapply($0.conflict(arguments[0])) }
        case ("keep-theirs", 1):
            return { try await $0.sync.replica.keepTheirs($0.conflict(arguments[0])) }
        default: return nil
        }
    }

    // MARK: What arguments name

    private func site(_ name: String) async throws -> Site {
        let found = try await notes.fetch().first { $0.site.name == name }
        guard let found else { throw CommandError("There is no site \(name).") }
        return found.site
    }

    private func note(_ id: String) async throws -> Note {
        let all = try await notes.fetch().flatMap(\.notes)
        guard let found = all.first(where: { $0.id.description.hasPrefix(id) }) else {
            throw CommandError("There is no note \(id).")
        }
        return found.note
    }

    private func conflicts() async throws -> [OverruledChange] {
        try await sync.replica.overruledChanges.fetch()
    }

    private func conflict(_ number: String) async throws -> OverruledChange {
        guard let found = try await conflicts().first(where: { "\($0.id)" == number }) else {
            throw CommandError("There is no conflict \(number).")
        }
        return found
    }

    // MARK: Sync

    private var statusLine: String {
        let status = sync.replica.status
        var texts = ReplicaTexts()
        // Between two commands nothing syncs the file.
        if status.phase == .stopped { texts.offline = "Not running" }
        let parts = [texts.title(status.headline), texts.detail(status)]
        return parts.compactMap { $0 }.joined(separator: " · ")
    }

    /// Stays in sync until the program ends, and prints what happens.
    private func watch() async throws {
        sync.start()
        let statuses = Task {
            var last = ""
            for await _ in sync.replica.statuses() where statusLine != last {
                last = statusLine
                show(last)
            }
        }
        defer { statuses.cancel() }
        var known: Set<SiteLine>?
        for try await sites in notes.lines() {
            for site in sites where known?.contains(site) == false { show(site.text) }
            known = Set(sites)
        }
    }
}

/// What the person at the keyboard can fix.
struct CommandError: LocalizedError {
    let errorDescription: String?
    init(_ message: String) { errorDescription = message }
}

/// Prints a line at once, also into a pipe.
private func show(_ line: String) {
    print(line)
    fflush(nil)
}
