import FieldNotesModel
import GRDB
import Moorage
import MoorageTestKit
import MoorageUI
import Testing

/// The app's own code, on devices and a hub in memory.
@MainActor
@Suite(.sandbox(tables: Sync.tables, migrator: AppDatabase.migrator), .timeLimit(.minutes(1)))
struct SyncTests {
    @Test func `notes of two devices meet`() async throws {
        let sandbox = try Sandbox.current
        let (anna, ben) = (try await sandbox.device("anna"), try await sandbox.device("ben"))
        let (annas, bens) = (NotesModel(anna.database), NotesModel(ben.database))
        let hut = try await annas.addSite("Hut")
        try await annas.addNote("Snow on the roof", at: hut)
        try await bens.addSite("Lake")
        try await sandbox.syncAll()

        let sites = try await bens.fetch()
        #expect(sites.map(\.site.name) == ["Hut", "Lake"])
        #expect(sites.flatMap(\.notes).map(\.note.text) == ["Snow on the roof"])
        try await eventually { annas.sites == sites }
    }

    @Test func `a conflict is shown, and a person decides`() async throws {
        let sandbox = try Sandbox.current
        let (anna, ben) = (try await sandbox.device("anna"), try await sandbox.device("ben"))
        let (annas, bens) = (NotesModel(anna.database), NotesModel(ben.database))
        let note = try await annas.addNote("Snow", at: try await annas.addSite("Hut"))
        try await sandbox.syncAll()

        try await annas.change(note, to: "Much snow")
        sandbox.advance(by: .seconds(1))
        try await bens.change(note, to: "No snow")
        try await ben.replica.sync()
        try await sandbox.syncAll()
        let shown = Sync(anna.replica).conflicts
        try await eventually { shown.list.isLoaded }
        let conflict = try #require(shown.list.entries.first)
        #expect(conflict.fields.map(\.mine) == [.text("Much snow")])
        #expect(conflict.fields.map(\.theirs) == [.text("No snow")])
        #expect(try await annas.fetch().first?.notes.first?.rowState == .overruled)

        await shown.keepMine(conflict)
        try await sandbox.syncAll()
        #expect(try await bens.fetch().first?.notes.first?.note.text == "Much snow")
    }

    @Test func `offline, the app shows what waits`() async throws {
        let anna = try await Sandbox.current.device("anna")
        let (notes, state) = (NotesModel(anna.database), Sync(anna.replica).state)
        anna.network = .offline
        try await notes.addSite("Hut")
        await #expect(throws: ReplicaError.self) { try await anna.replica.sync() }
        try await eventually { state.headline == .offline(since: state.status.failingSince) }
        #expect(state.status.pendingCount == 1)
        #expect(try await notes.fetch().map(\.rowState) == [.pending])

        anna.network = .online
        try await anna.replica.sync()
        try await eventually { state.headline == .upToDate }
        #expect(try await notes.fetch().map(\.rowState) == [nil])
    }
}

/// Waits until a model on the main actor has heard of a change.
@MainActor
private func eventually(_ condition: () -> Bool) async throws {
    while !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
