#if canImport(SwiftUI)
    import FieldNotesModel
    import Foundation
    import Moorage
    import MoorageUI
    import SwiftUI

    /// The app with screens, for iPhone, iPad and Mac.
    @main struct FieldNotesApp: App {
        @State private var app = AppModel()

        private static let hub = URL(string: "http://127.0.0.1:8080")

        var body: some Scene {
            WindowGroup {
                Group {
                    switch app.stage {
                    case .opening: ProgressView()
                    case .failed(let reason):
                        ContentUnavailableView(
                            "The notes cannot be opened", systemImage: "exclamationmark.triangle",
                            description: Text(reason))
                    case .open(let notes, let sync):
                        SiteListView(notes: notes, sync: sync, session: app.session)
                            .environment(\.replica, sync.replica)
                    }
                }
                .task {
                    guard let hub = Self.hub else { return }
                    let file = URL.documentsDirectory.appending(path: "field-notes.db")
                    await app.open(at: file, hub: hub)
                }
            }
        }
    }
#else
    /// There is no SwiftUI here: the same model runs as the command `fieldnotes`.
    @main enum FieldNotesApp {
        static func main() { print("This platform has no SwiftUI. Run the command fieldnotes.") }
    }
#endif
