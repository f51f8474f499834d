#if canImport(SwiftUI)
    import Foundation
    public import Moorage
    public import SwiftUI

    /// The refused changes of the replica in the environment, with the reason of each.
    public struct RefusedListView: View {
        @SyncRefusals private var refusals
        private let model: RefusalsModel?

        /// - Parameter model: The changes to show; `nil` for those of the replica in the
        ///   environment.
        public init(_ model: RefusalsModel? = nil) { self.model = model }

        public var body: some View {
            if let refusals = model ?? refusals {
                ReviewListView(list: refusals.list, empty: "No refused changes") { refused in
                    RefusedView(refused, in: refusals)
                }
            }
        }
    }

    /// One refused change: the reason, what it asked for, and what can be decided.
    public struct RefusedView: View {
        private let refused: RefusedChange
        private let model: RefusalsModel
        @State private var isAsking = false

        /// - Parameters:
        ///   - refused: An entry of the model.
        ///   - model: What carries out the decision.
        public init(_ refused: RefusedChange, in model: RefusalsModel) {
            self.refused = refused
            self.model = model
        }

        public var body: some View {
            VStack(alignment: .leading) {
                RowTitle(table: refused.table, key: refused.key)
                if refused.kind == .delete { Text("This device deleted the row.") }
                Text(refused.message)
                ForEach(refused.after.keys.sorted(), id: \.self) { column in
                    LabeledContent(column, value: refused.after[column]?.displayText ?? "–")
                }
                HStack {
                    Button("Try again") { Task { await model.retry(refused) } }
                        .disabled(!model.canRetry(refused))
                    Button("Dismiss", role: .destructive) { isAsking = true }
                }
                .buttonStyle(.bordered)
                .disabled(model.list.inWork.contains(refused.id))
            }
            // Its values may be nowhere else.
            .confirmationDialog("Give up this change?", isPresented: $isAsking) {
                Button("Dismiss", role: .destructive) { Task { await model.dismiss(refused) } }
            }
        }
    }

    /// A list of a replica: its entries, and why the last decision failed.
    struct ReviewListView<Entry: Identifiable & Hashable & Sendable, Content: View>: View
    where Entry.ID: Sendable {
        let list: ReviewModel<Entry>
        let empty: LocalizedStringKey
        @ViewBuilder let content: (Entry) -> Content

        var body: some View {
            List {
                if let failure = list.failure ?? list.readingFailure {
                    Label(failure.localizedDescription, systemImage: "exclamationmark.triangle")
                }
                ForEach(list.entries) { content($0) }
                if list.isLoaded, list.entries.isEmpty {
                    ContentUnavailableView(empty, systemImage: "checkmark.circle")
                }
            }
        }
    }
#endif
