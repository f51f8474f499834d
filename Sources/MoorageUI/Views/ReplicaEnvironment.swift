#if canImport(SwiftUI)
    public import Moorage
    public import SwiftUI

    extension EnvironmentValues {
        /// The replica whose state the views below show; `nil` in previews.
        ///
        /// `ContentView().environment(\.replica, replica)`
        @Entry public var replica: Replica?
        /// The words of the status views below.
        @Entry public var replicaTexts = ReplicaTexts()
    }

    /// The status of the replica in the environment. A view that reads it is drawn again when it
    /// changes.
    ///
    /// ```swift
    /// @SyncStatus private var status
    /// var body: some View { Text("\(status.pendingCount)") }
    /// ```
    @MainActor @propertyWrapper
    public struct SyncStatus: DynamicProperty {
        @Environment(\.replica) private var replica
        @State private var kept = Kept<ReplicaState>()

        /// The status of the replica in the environment.
        public init() {}

        /// The newest status; that of a replica that was not opened where there is none.
        public var wrappedValue: ReplicaStatus {
            guard let replica else { return ReplicaStatus() }
            return kept.value(for: replica) { ReplicaState($0) }.status
        }
    }

    /// The conflicts of the replica in the environment.
    @MainActor @propertyWrapper
    public struct SyncConflicts: DynamicProperty {
        @Environment(\.replica) private var replica
        @State private var kept = Kept<ConflictsModel>()

        /// The conflicts of the replica in the environment.
        public init() {}

        /// The list, with what a person can decide; `nil` where there is no replica.
        public var wrappedValue: ConflictsModel? {
            replica.map { kept.value(for: $0) { ConflictsModel($0) } }
        }
    }

    /// The refused changes of the replica in the environment.
    @MainActor @propertyWrapper
    public struct SyncRefusals: DynamicProperty {
        @Environment(\.replica) private var replica
        @State private var kept = Kept<RefusalsModel>()

        /// The refused changes of the replica in the environment.
        public init() {}

        /// The list, with what a person can decide; `nil` where there is no replica.
        public var wrappedValue: RefusalsModel? {
            replica.map { kept.value(for: $0) { RefusalsModel($0) } }
        }
    }

    /// What a view keeps of a replica, until the environment has another one.
    @MainActor
    final class Kept<Model> {
        private var replica: Replica?
        private var model: Model?

        nonisolated init() {}

        func value(for replica: Replica, _ make: (Replica) -> Model) -> Model {
            if let model, self.replica === replica { return model }
            let made = make(replica)
            self.replica = replica
            model = made
            return made
        }
    }
#endif
