import Foundation
import GRDB
import Moorage
import Observation

/// What every front of the app shows and does. It reads and writes the file, and knows nothing of
/// sync.
@MainActor @Observable public final class NotesModel {
    public private(set) var sites: [SiteLine] = []
    /// Why the last thing that a screen tried failed.
    public private(set) var failure: String?
    @ObservationIgnored private let database: any DatabaseWriter
    @ObservationIgnored private var following: Task<Void, Never>?

    public init(_ database: any DatabaseWriter) {
        self.database = database
        let lines = lines()
        following = Task { [weak self] in
            do {
                for try await sites in lines { self?.sites = sites }
            } catch { self?.failure = "\(error)" }
        }
    }

    deinit { following?.cancel() }

    /// The sites now, and again after each change of a row or of its state.
    public func lines() -> AsyncValueObservation<[SiteLine]> {
        ValueObservation.tracking(SiteLine.fetchAll).removeDuplicates().values(in: database)
    }

    /// The sites now.
    public func fetch() async throws -> [SiteLine] { try await database.read(SiteLine.fetchAll) }

    @discardableResult
    public func addSite(_ name: String) async throws -> Site {
        try await database.write { db in try Site(name: name).inserted(db) }
    }

    @discardableResult
    public func addNote(_ text: String, at site: Site) async throws -> Note {
        try await database.write { db in try Note(text: text, at: site).inserted(db) }
    }

    /// Writes the text alone, so that an edit of another column meets no conflict.
    public func change(_ note: Note, to text: String) async throws {
        try await database.write { db in
            var note = note
            try note.updateChanges(db) { $0.text = text }
        }
    }

    public func delete(_ note: Note) async throws {
        _ = try await database.write { db in try note.delete(db) }
    }

    /// Runs what a screen wants, and keeps its failure for the screen.
    public func attempt(_ work: () async throws -> Void) async {
        do {
            try await work()
            failure = nil
        } catch { failure = (error as? any LocalizedError)?.errorDescription ?? "\(error)" }
    }
}
