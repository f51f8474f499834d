#if canImport(SwiftUI)
    import FieldNotesModel
    import Moorage
    import SwiftUI

    /// The notes of one site.
    struct SiteView: View {
        let id: TextUUID
        let notes: NotesModel
        @State private var text = ""

        var body: some View {
            // Another device may delete the site while it is shown.
            if let line = notes.sites.first(where: { $0.id == id }) {
                List {
                    ForEach(line.notes) { note in NoteRow(line: note, notes: notes) }
                        .onDelete { offsets in
                            for note in offsets.map({ line.notes[$0].note }) {
                                Task { await notes.attempt { try await notes.delete(note) } }
                            }
                        }
                    TextField("New note", text: $text).onSubmit { add(at: line.site) }
                }
                .navigationTitle(line.site.name)
            } else {
                ContentUnavailableView("This site is gone", systemImage: "mappin.slash")
            }
        }

        private func add(at site: Site) {
            guard !text.isEmpty else { return }
            let added = text
            text = ""
            Task { await notes.attempt { try await notes.addNote(added, at: site) } }
        }
    }

    /// A note, which can be changed where it is.
    struct NoteRow: View {
        let line: NoteLine
        let notes: NotesModel
        @State private var text = ""

        var body: some View {
            HStack {
                TextField("Note", text: $text)
                    .onAppear { text = line.note.text }
                    .onChange(of: line.note.text) { _, newText in text = newText }
                    .onSubmit {
                        let entered = text
                        Task {
                            await notes.attempt { try await notes.change(line.note, to: entered) }
                        }
                    }
                RowStateBadge(line.rowState).labelStyle(.iconOnly)
            }
        }
    }
#endif
