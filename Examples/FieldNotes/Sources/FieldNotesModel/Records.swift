import Foundation
import GRDB
import Moorage

/// A place that people visit.
public struct Site: Codable, Hashable, Identifiable, Sendable, FetchableRecord, PersistableRecord {
    /// Devices choose keys on their own, so a key is a UUID: as text, as the hub writes it.
    public var id = TextUUID()
    public var name: String

    static let notes = hasMany(Note.self)

    public init(name: String) { self.name = name }
}

/// What somebody saw there.
public struct Note: Codable, Hashable, Identifiable, Sendable, FetchableRecord, PersistableRecord {
    public var id = TextUUID()
    public var siteID: TextUUID
    public var text: String
    public var writtenAt = Date()

    public init(text: String, at site: Site) {
        siteID = site.id
        self.text = text
    }

    enum CodingKeys: String, CodingKey {
        case id
        case siteID = "site_id"
        case text
        case writtenAt = "written_at"
    }
}

/// A site with its notes, as lists show it.
public struct SiteLine: Decodable, Hashable, Identifiable, Sendable, FetchableRecord {
    public let site: Site
    /// `nil` for a row that is synced.
    public let rowState: RowState?
    public let notes: [NoteLine]

    public var id: TextUUID { site.id }

    /// All sites by name, with their notes from the oldest on.
    public static func fetchAll(_ db: Database) throws -> [SiteLine] {
        let notes = Site.notes
            .annotated(with: Note.rowState(key: ["id"]))
            .order(Column("written_at"), Column("id"))
            .forKey("notes")
        return
            try Site
            .annotated(with: Site.rowState(key: ["id"]))
            .including(all: notes)
            .order(Column("name"), Column("id"))
            .asRequest(of: SiteLine.self)
            .fetchAll(db)
    }
}

/// A note with the state of its row.
public struct NoteLine: Decodable, Hashable, Identifiable, Sendable, FetchableRecord {
    public let note: Note
    /// `nil` for a row that is synced.
    public let rowState: RowState?

    public var id: TextUUID { note.id }
}
