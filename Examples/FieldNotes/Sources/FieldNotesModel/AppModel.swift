import Foundation
import Observation

/// The app with screens, from its launch on.
@MainActor @Observable public final class AppModel {
    public enum Stage {
        case opening
        case failed(String)
        case open(NotesModel, Sync)
    }

    public private(set) var stage = Stage.opening
    public let session = Session()
    @ObservationIgnored private var isOpened = false

    public init() {}

    /// Opens the file, and stays in sync from then on. Each window may call it.
    public func open(at file: URL, hub: URL) async {
        guard !isOpened else { return }
        isOpened = true
        do {
            let database = try AppDatabase.open(at: file.path)
            let sync = try await Sync(database, hub: hub, user: session)
            sync.start()
            stage = .open(NotesModel(database), sync)
        } catch { stage = .failed(error.localizedDescription) }
    }
}
