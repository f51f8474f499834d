#if canImport(SwiftUI)
    public import Moorage
    public import SwiftUI

    /// The conflicts of the replica in the environment. A person keeps one side of each, or edits the
    /// values.
    public struct ConflictListView: View {
        @SyncConflicts private var conflicts

        /// The conflicts of the replica in the environment.
        public init() {}

        public var body: some View {
            if let conflicts {
                ReviewListView(list: conflicts.list, empty: "No conflicts") { conflict in
                    ConflictView(conflict, in: conflicts)
                }
            }
        }
    }

    /// One conflict: a row of values for each column, and what can be decided.
    public struct ConflictView: View {
        private let conflict: OverruledChange
        private let model: ConflictsModel
        @State private var edit: ConflictEdit?

        /// - Parameters:
        ///   - conflict: An entry of the model.
        ///   - model: What carries out the decision.
        public init(_ conflict: OverruledChange, in model: ConflictsModel) {
            self.conflict = conflict
            self.model = model
        }

        public var body: some View {
            VStack(alignment: .leading) {
                Text(conflict.table).font(.headline)
                Text(conflict.at, style: .relative).font(.caption).foregroundStyle(.secondary)
                ForEach(conflict.fields) { field in
                    ValueLine(title: field.column, mine: field.mine, theirs: field.theirs)
                }
                HStack {
                    Button("Keep mine") { decide { await model.keepMine(conflict) } }
                    Button("Keep theirs") { decide { await model.keepTheirs(conflict) } }
                    Button("Edit…") { edit = ConflictEdit(conflict) }
                }
                .buttonStyle(.bordered)
                .disabled(model.list.inWork.contains(conflict.id))
            }
            .sheet(item: $edit) { edit in
                ConflictEditView(edit) { decide { await model.save(edit) } }
            }
        }

        private func decide(_ action: @escaping @MainActor () async -> Void) {
            Task { await action() }
        }
    }

    /// A column with the values of both sides.
    struct ValueLine: View {
        let title: String
        let mine: Value?
        let theirs: Value?

        var body: some View {
            VStack(alignment: .leading) {
                Text(title).font(.caption).foregroundStyle(.secondary)
                HStack {
                    text(mine, "mine")
                    Text("→").accessibilityHidden(true)
                    text(theirs, "theirs")
                }
            }
        }

        private func text(_ value: Value?, _ side: String) -> some View {
            Text(value?.displayText ?? "–").accessibilityLabel(
                "\(side): \(value?.displayText ?? "no value")")
        }
    }
#endif
