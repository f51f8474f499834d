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
    /// let events = SystemEvents(reportedTo: lifeCycle, isInFront: true)
    /// ```
    ///
    /// Make one as soon as there is a replica, and keep it as long as the replica is in use. It
    /// reports the front and the background, the network, and low memory. Push notifications and
    /// refreshes come to the app itself, which calls ``ReplicaLifeCycle/handlePush(within:)``.
    public final class SystemEvents: Sendable {
        private let monitor = NWPathMonitor()
        private let observers: Locked<[any NSObjectProtocol]>

        /// Reports from now on.
        ///
        /// - Parameters:
        ///   - isInFront: Whether the app is in front now. A view that is shown is.
        ///   - isFullyProtected: Whether the file has complete protection
        ///     (`NSFileProtectionComplete`), so that nobody can read it while the device is locked.
        ///     Files have less by default.
        public init(
            reportedTo lifeCycle: ReplicaLifeCycle, isInFront: Bool, isFullyProtected: Bool = false
        ) {
            let center = NotificationCenter.default
            func observe(
                _ name: Notification.Name, _ report: @escaping @Sendable () -> Void
            ) -> any NSObjectProtocol {
                center.addObserver(forName: name, object: nil, queue: nil) { _ in report() }
            }
            var observers = [
                observe(UIApplication.willEnterForegroundNotification) {
                    lifeCycle.enteredForeground()
                },
                observe(UIApplication.didBecomeActiveNotification) {
                    lifeCycle.enteredForeground()
                },
                observe(UIApplication.didEnterBackgroundNotification) {
                    SystemEvents.finish(lifeCycle)
                },
                observe(UIApplication.didReceiveMemoryWarningNotification) {
                    lifeCycle.memoryIsLow()
                },
            ]
            if isFullyProtected {
                observers += [
                    observe(UIApplication.protectedDataWillBecomeUnavailableNotification) {
                        lifeCycle.protectedDataChanged(isAvailable: false)
                    },
                    observe(UIApplication.protectedDataDidBecomeAvailableNotification) {
                        lifeCycle.protectedDataChanged(isAvailable: true)
                    },
                ]
            }
            self.observers = Locked(observers)
            if isInFront { lifeCycle.enteredForeground() }
            monitor.pathUpdateHandler = { lifeCycle.networkChanged(to: NetworkPath($0)) }
            monitor.start(queue: DispatchQueue(label: "moorage.network"))
        }

        deinit {
            monitor.cancel()
            observers.withLock { $0.forEach(NotificationCenter.default.removeObserver) }
        }

        /// Reports at once, and then asks for time. The system calls the closure a second time when
        /// it wants the time back, or at once if it gives none.
        private static func finish(_ lifeCycle: ReplicaLifeCycle) {
            let task = lifeCycle.beginBackground(within: .seconds(25))
            ProcessInfo.processInfo.performExpiringActivity(withReason: "moorage.push") { isOver in
                if isOver { return task.expire() }
                // The system may suspend the process when this closure returns. Its thread is the
                // system's own.
                let isDone = DispatchSemaphore(value: 0)
                Task {
                    _ = await task.outcome
                    isDone.signal()
                }
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
