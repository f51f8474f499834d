/// What goes into the machine, and what comes out.
extension LifeCycleMachine {
    /// What happened to the app.
    package enum Event: Hashable, Sendable {
        case enteredForeground
        /// - Parameter task: The background task in which the app may finish; `nil` without one.
        case enteredBackground(task: Int?)
        /// The system gives time for a push notification or a refresh.
        case begin(Int, Purpose)
        /// The time of a task is nearly over.
        case deadline(Int)
        /// The time of a task is over, or the system takes it away.
        case limit(Int)
        /// The work of a task has ended, also one that was cancelled.
        case finished(Int, PushOutcome)
        /// The loop has ended.
        case paused
        case network(NetworkPath)
        /// Whether the file can be read; no, while a device is locked that encrypts it.
        case protectedData(isAvailable: Bool)
        case memoryIsLow
    }

    /// What to do next.
    package enum Order: Hashable, Sendable {
        /// Let the database work again.
        case open
        /// Give up all locks of the database, because the system may suspend the process now.
        case close
        /// Start the loop, in front.
        case run
        /// End the loop, and report ``Event/paused``.
        case pause
        /// Make the loop exchange now.
        case wake
        /// Exchange for a background task, and report ``Event/finished(_:_:)``.
        case exchange(Int, Purpose)
        /// End the work of a background task.
        case cancel(Int)
        /// Tell the system that a background task is over.
        case end(Int, PushOutcome)
        case releaseMemory
    }

    /// What a background task is for.
    package enum Purpose: Hashable, Sendable {
        /// Send what is pending. If nothing is, it does not use the network.
        case push
        /// Send what is pending, and get what is new.
        case pull
    }
}

/// The network that a device has, as far as it matters to a replica.
public enum NetworkPath: Hashable, Sendable {
    /// No network.
    case none
    /// The user asked to save data. In the background a replica sends changes, and gets none.
    case constrained
    /// Any other network.
    case unrestricted
}

/// What a background task brought; it maps to the results that systems ask for.
public enum PushOutcome: Hashable, Sendable {
    /// Rows came from the hub.
    case newData
    /// All is done, and nothing was new.
    case noData
    /// Not all was done. The replica goes on the next time.
    case failed
}
