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

        /// The newest status. Without a replica it is that of one that was not opened yet.
        public var wrappedValue: ReplicaStatus {
            kept.value(for: replica) { ReplicaState($0) }?.status ?? ReplicaStatus()
        }
    }

    /// The conflicts of the replica in the environment.
    @MainActor @propertyWrapper
    public struct SyncConflicts: DynamicProperty {
        @Environment(\.replica) private var replica
        @State private var kept = Kept<ConflictsModel>()

        /// The conflicts of the replica in the environment.
        public init() {}

        /// The list, with what a person can decide; `nil` without a replica.
        public var wrappedValue: ConflictsModel? {
            kept.value(for: replica) { ConflictsModel($0) }
        }
    }

    /// The refused changes of the replica in the environment.
    @MainActor @propertyWrapper
    public struct SyncRefusals: DynamicProperty {
        @Environment(\.replica) private var replica
        @State private var kept = Kept<RefusalsModel>()

        /// The refused changes of the replica in the environment.
        public init() {}

        /// The list, with what a person can decide; `nil` without a replica.
        public var wrappedValue: RefusalsModel? {
            kept.value(for: replica) { RefusalsModel($0) }
        }
    }

    /// What a view keeps of a replica, until the environment has another one, or none.
    @MainActor
    final class Kept<Model> {
        private weak var replica: Replica?
        private var model: Model?

        nonisolated init() {}

        func value(for replica: Replica?, _ make: (Replica) -> Model) -> Model? {
            if let replica, model == nil || self.replica !== replica {
                self.replica = replica
                model = make(replica)
            } else if replica == nil {
                model = nil
            }
            return model
        }
    }
#endif
