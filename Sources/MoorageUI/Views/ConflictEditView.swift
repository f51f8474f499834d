#if canImport(SwiftUI)
    import Foundation
    import Moorage
    public import SwiftUI

    /// A form with a field for each column in conflict.
    public struct ConflictEditView: View {
        @Bindable private var edit: ConflictEdit
        private let model: ConflictsModel
        @Environment(\.dismiss) private var dismiss

        /// - Parameters:
        ///   - edit: What the form edits.
        ///   - model: What saves it. The form closes once it is saved.
        public init(_ edit: ConflictEdit, in model: ConflictsModel) {
            self.edit = edit
            self.model = model
        }

        public var body: some View {
            NavigationStack {
                Form {
                    if let failure = model.list.failure {
                        Label(failure.localizedDescription, systemImage: "exclamationmark.triangle")
                    }
                    ForEach($edit.fields) { $field in
                        Section(field.column) {
                            Toggle("No value", isOn: $field.isNull)
                            if !field.isNull, field.isTyped {
                                TextField(field.column, text: $field.text)
                            }
                            Button("Take mine") { edit.take(field.sides.mine, for: field) }
                                .disabled(field.sides.mine == nil)
                            Button("Take theirs") { edit.take(field.sides.theirs, for: field) }
                                .disabled(field.sides.theirs == nil)
                        }
                    }
                }
                .toolbar {
                    ToolbarItem(placement: .cancellationAction) {
                        Button("Cancel") { dismiss() }
                    }
                    ToolbarItem(placement: .confirmationAction) {
                        Button("Save") {
                            Task { if await model.save(edit) { dismiss() } }
                        }
                        .disabled(edit.values == nil)
                    }
                }
            }
        }
    }
#endif
