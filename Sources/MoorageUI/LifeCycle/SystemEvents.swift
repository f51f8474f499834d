// watchOS has other notifications, and suspends no app in the midst of its work.
#if canImport(UIKit) && canImport(Network) && !os(watchOS)
    import Dispatch
    import Foundation
    public import Moorage
    import MoorageSupport
    import Network
    import UIKit

    /// Reports to a ``ReplicaLifeCycle`` what the system does with its app.
    ///
    /// ```swift
    /// let lifeCycle = ReplicaLifeCycle(replica)
    /// let events = SystemEvents(reportedTo: lifeCycle)
    /// ```
    ///
    /// Make one when the app launches, before it is active, and keep it as long as the replica is in
    /// use. It reports the front and the background, the network, low memory and protected data.
    /// Push notifications and refreshes come to the app itself, which calls
    /// ``ReplicaLifeCycle/handlePush(within:)``.
    public final class SystemEvents: Sendable {
        private let monitor = NWPathMonitor()
        private let observers: Locked<[any NSObjectProtocol]>

        /// Reports from now on.
        public init(reportedTo lifeCycle: ReplicaLifeCycle) {
            let center = NotificationCenter.default
            func observe(
                _ name: Notification.Name, _ report: @escaping @Sendable () -> Void
            ) -> any NSObjectProtocol {
                center.addObserver(forName: name, object: nil, queue: nil) { _ in report() }
            }
            observers = Locked([
                observe(UIApplication.didBecomeActiveNotification) {
                    lifeCycle.enteredForeground()
                },
                observe(UIApplication.didEnterBackgroundNotification) {
                    Self.finish(lifeCycle)
                },
                observe(UIApplication.didReceiveMemoryWarningNotification) {
                    lifeCycle.memoryIsLow()
                },
                observe(UIApplication.protectedDataWillBecomeUnavailableNotification) {
                    lifeCycle.protectedDataChanged(isAvailable: false)
                },
                observe(UIApplication.protectedDataDidBecomeAvailableNotification) {
                    lifeCycle.protectedDataChanged(isAvailable: true)
                },
            ])
            monitor.pathUpdateHandler = { lifeCycle.networkChanged(to: NetworkPath($0)) }
            monitor.start(queue: DispatchQueue(label: "moorage.network"))
        }

        deinit {
            monitor.cancel()
            observers.withLock { $0.forEach(NotificationCenter.default.removeObserver) }
        }

        /// Asks for time, and uses it. The system calls the closure a second time when it wants the
        /// time back, or at once if it gives none.
        private static func finish(_ lifeCycle: ReplicaLifeCycle) {
            let work = Locked<Task<Void, Never>?>(nil)
            ProcessInfo.processInfo.performExpiringActivity(withReason: "moorage.push") { isOver in
                if isOver {
                    let task = work.withLock { $0 }
                    if let task { task.cancel() } else { lifeCycle.enteredBackground() }
                    return
                }
                // The system may suspend the process when this closure returns. Its thread is the
                // system's own.
                let isDone = DispatchSemaphore(value: 0)
                let task = Task {
                    await lifeCycle.enteredBackground(within: .seconds(25))
                    isDone.signal()
                }
                work.withLock { $0 = task }
                isDone.wait()
            }
        }
    }

    extension NetworkPath {
        fileprivate init(_ path: NWPath) {
            if path.status != .satisfied {
                self = .none
            } else {
                self = path.isConstrained ? .constrained : .unrestricted
            }
        }
    }
#endif
