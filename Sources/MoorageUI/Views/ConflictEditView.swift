#if canImport(SwiftUI)
    import Moorage
    public import SwiftUI

    /// A form with a field for each column in conflict.
    public struct ConflictEditView: View {
        @Bindable private var edit: ConflictEdit
        private let save: () -> Void
        @Environment(\.dismiss) private var dismiss

        /// - Parameters:
        ///   - edit: What the form edits.
        ///   - save: Called when the person saves. The form closes then.
        public init(_ edit: ConflictEdit, save: @escaping () -> Void) {
            self.edit = edit
            self.save = save
        }

        public var body: some View {
            NavigationStack {
                Form {
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
                            save()
                            dismiss()
                        }
                        .disabled(edit.values == nil)
                    }
                }
            }
        }
    }
#endif
