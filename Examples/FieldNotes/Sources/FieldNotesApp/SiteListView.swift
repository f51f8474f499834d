#if canImport(SwiftUI)
    import FieldNotesModel
    import Moorage
    import MoorageUI
    import SwiftUI

    /// All sites, and the state of sync below them.
    struct SiteListView: View {
        let notes: NotesModel
        let sync: Sync
        let session: Session
        @State private var name = ""

        var body: some View {
            NavigationStack {
                List {
                    if let failure = notes.failure {
                        Label(failure, systemImage: "exclamationmark.triangle")
                    }
                    Section("Sites") {
                        ForEach(notes.sites) { line in
                            NavigationLink(value: line.id) {
                                LabeledContent(line.site.name) { RowStateBadge(line.rowState) }
                            }
                        }
                        TextField("New site", text: $name).onSubmit { add() }
                    }
                    Section("Sync") {
                        NavigationLink("Conflicts") { ConflictListView() }
                            .badge(sync.state.status.overruledCount)
                        NavigationLink("Refused changes") { RefusedListView() }
                            .badge(sync.state.status.refusedCount)
                        NavigationLink(session.token == nil ? "Sign in" : "Account") {
                            SignInView(notes: notes, sync: sync, session: session)
                        }
                    }
                }
                .navigationTitle("Field notes")
                .navigationDestination(for: TextUUID.self) { id in SiteView(id: id, notes: notes) }
                .safeAreaInset(edge: .bottom) { SyncStatusLabel() }
            }
        }

        private func add() {
            guard !name.isEmpty else { return }
            let added = name
            name = ""
            Task { await notes.attempt { try await notes.addSite(added) } }
        }
    }

    /// What a list says of a row that is not synced.
    struct RowStateBadge: View {
        private let state: RowState?

        init(_ state: RowState?) { self.state = state }

        var body: some View {
            switch state {
            case nil, .synced: EmptyView()
            case .pending, .inFlight: Label("Not sent yet", systemImage: "arrow.up.circle")
            case .refused: Label("Refused", systemImage: "exclamationmark.triangle")
            case .overruled: Label("Conflict", systemImage: "arrow.triangle.branch")
            case .deferred, .withheld: Label("The hub has a newer one", systemImage: "clock")
            }
        }
    }
#endif
