#if canImport(SwiftUI)
    import FieldNotesModel
    import Foundation
    import Moorage
    import SwiftUI

    /// Signs in and out. An app of its own shows its sign-in here, and takes the token from it.
    struct SignInView: View {
        let notes: NotesModel
        let sync: Sync
        let session: Session
        @State private var token = ""

        /// The hub refuses a file that belongs to somebody else.
        private var isAnotherUsers: Bool {
            sync.state.status.lastError?.code == .hub(.differentUser)
        }

        var body: some View {
            Form {
                if session.token == nil {
                    Section {
                        SecureField("Token", text: $token)
                        Button("Sign in") {
                            session.token = token
                            sync.replica.wake()
                        }
                        .disabled(token.isEmpty)
                    } footer: {
                        Text("The command “moorage token” prints one.")
                    }
                } else {
                    Button("Sign out") { session.token = nil }
                }
                if isAnotherUsers {
                    Section {
                        Button("Begin with my own notes", role: .destructive) { startOver() }
                    } footer: {
                        Text("The notes on this device are somebody else's. A copy is kept.")
                    }
                }
            }
            .navigationTitle("Account")
        }

        private func startOver() {
            let copy = URL.documentsDirectory.appending(path: "field-notes-\(UUID()).db")
            Task { await notes.attempt { try await sync.startOver(archivingTo: copy) } }
        }
    }
#endif
