#if canImport(SwiftUI)
    public import Moorage
    public import SwiftUI

    /// The conflicts of the replica in the environment. A person keeps one side of each, or edits the
    /// values.
    public struct ConflictListView: View {
        @SyncConflicts private var conflicts
        private let model: ConflictsModel?

        /// - Parameter model: The conflicts to show; `nil` for those of the replica in the
        ///   environment.
        public init(_ model: ConflictsModel? = nil) { self.model = model }

        public var body: some View {
            if let conflicts = model ?? conflicts {
                ReviewListView(list: conflicts.list, empty: "No conflicts") { conflict in
                    ConflictView(conflict, in: conflicts)
                }
            }
        }
    }

    /// One conflict: the values of both sides for each column, and what can be decided.
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
                RowTitle(table: conflict.table, key: conflict.key)
                Text(conflict.at, style: .relative).font(.caption).foregroundStyle(.secondary)
                if conflict.mine == nil { Text("This device deleted the row.") }
                if conflict.theirs == nil { Text("The row was deleted.") }
                ForEach(conflict.fields) { field in
                    ValueLine(title: field.column, mine: field.mine, theirs: field.theirs)
                }
                HStack {
                    if model.canKeepMine(conflict) {
                        Button("Keep mine") { Task { await model.keepMine(conflict) } }
                        Button("Keep theirs") { Task { await model.keepTheirs(conflict) } }
                        if conflict.result != nil, !conflict.fields.isEmpty {
                            Button("Edit…") { edit = ConflictEdit(conflict) }
                        }
                    } else {
                        Button("Keep both") { Task { await model.keepResult(conflict) } }
                    }
                }
                .buttonStyle(.bordered)
                .disabled(model.list.inWork.contains(conflict.id))
            }
            .sheet(item: $edit) { edit in ConflictEditView(edit, in: model) }
        }
    }

    /// Which row an entry is about.
    struct RowTitle: View {
        let table: String
        let key: RowKey

        var body: some View {
            VStack(alignment: .leading) {
                Text(table).font(.headline)
                Text(key.displayText).font(.caption)
            }
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
                    Text(mine?.displayText ?? "–").accessibilityLabel("This device")
                        .accessibilityValue(mine?.displayText ?? "–")
                    Text("→").accessibilityHidden(true)
                    Text(theirs?.displayText ?? "–").accessibilityLabel("The other side")
                        .accessibilityValue(theirs?.displayText ?? "–")
                }
            }
        }
    }
#endif
