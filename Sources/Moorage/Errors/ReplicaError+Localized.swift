public import Foundation

extension ReplicaError: LocalizedError {
    /// What went wrong, as a sentence for people who look after the app.
    public var errorDescription: String? { message }

    /// What can be done about it.
    public var recoverySuggestion: String? {
        switch recovery {
        case .retry: "Nothing has to be done: the replica tries again by itself."
        case .changeSchema: "Change the local table or the central one, as the message says."
        case .choose: "Choose what the message asks for, where the replica is made."
        case .changeCall: "Make the call in another way, as the message says."
        case .signIn: "Sign in again."
        case .updateApp: "Install a newer version of the app."
        case .askOperator: "Ask whoever runs the hub."
        case .reportBug: "Report this as a defect."
        }
    }
}

extension ReplicaError: Equatable {
    /// The cause is not compared.
    public static func == (left: ReplicaError, right: ReplicaError) -> Bool {
        left.code == right.code && left.message == right.message && left.recovery == right.recovery
    }
}
