#if canImport(SwiftUI)
    import Moorage
    public import SwiftUI

    /// One line that says whether everything is in sync, with a symbol and what waits.
    public struct SyncStatusLabel: View {
        @SyncStatus private var status
        @Environment(\.replicaTexts) private var texts

        /// The status of the replica in the environment.
        public init() {}

        public var body: some View {
            Label {
                VStack(alignment: .leading) {
                    Text(texts.title(status.headline))
                    if let detail = texts.detail(status) {
                        Text(detail).font(.caption).foregroundStyle(.secondary)
                    }
                }
            } icon: {
                Image(systemName: status.headline.symbolName)
            }
            .accessibilityElement(children: .combine)
        }
    }
#endif
