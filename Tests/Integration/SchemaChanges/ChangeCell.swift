import MoorageTesting

/// One device of the matrix: on which database, and what it did before the last sync.
struct ChangeCell: Hashable, Sendable {
    /// When a device first syncs after the central change.
    enum Contact: String, CaseIterable, Sendable {
        /// Not before the last sync: it was away all the time.
        case before
        /// Between the change and the attach.
        case between
        /// After the attach, still with the old app.
        case after
    }

    /// Whether the device has an unsent edit from before the change.
    enum Edits: String, CaseIterable, Sendable {
        case none, pending
    }

    /// What the app does before the last sync.
    enum App: String, CaseIterable, Sendable {
        case stays, upgrades
    }

    let kind: CentreKind
    let contact: Contact
    let edits: Edits
    let app: App

    static func all(on kind: CentreKind) -> [ChangeCell] {
        Contact.allCases.flatMap { contact in
            Edits.allCases.flatMap { edits in
                App.allCases.map { app in
                    ChangeCell(kind: kind, contact: contact, edits: edits, app: app)
                }
            }
        }
    }

    /// The cells that a run tries: all at night and for the page, else every second one.
    ///
    /// The half still has every pair of words of two columns. PostgreSQL has the one half, SQLite
    /// and MariaDB have the other.
    static func tried(on kind: CentreKind) -> [ChangeCell] {
        let isWhole = isNightly || MatrixDocument.isWritten
        return all(on: kind).filter { isWhole || $0.sum.isMultiple(of: 2) }
    }

    /// Next to each cell, by one word, the sum is odd where it is even here.
    private var sum: Int {
        zip(words, Self.dimensions).reduce(0) { sum, column in
            sum + (column.1.firstIndex(of: column.0) ?? 0)
        }
    }

    /// The cell as the page names it.
    var words: [String] { [kind.rawValue, contact.rawValue, edits.rawValue, app.rawValue] }

    /// What each word may be, in the page's order.
    static let dimensions: [[String]] = [
        [CentreKind.sqlite, .postgres, .mariadb].map(\.rawValue),
        Contact.allCases.map(\.rawValue), Edits.allCases.map(\.rawValue),
        App.allCases.map(\.rawValue),
    ]
}
