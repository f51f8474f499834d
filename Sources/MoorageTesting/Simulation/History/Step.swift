package import MoorageCore

/// One thing that happens, at a time of its own. Other steps do not change this time, even when
/// they are removed.
package struct Step: Hashable, Sendable {
    /// Milliseconds since the world began. It is also the step's salt: every random number that the
    /// step needs comes from it and the world's seed.
    package var at: Int64
    package var action: Action

    package init(at: Int64, _ action: Action) {
        self.at = at
        self.action = action
    }

    /// Devices are counted from 1, as in the text.
    package enum Action: Hashable, Sendable {
        /// A user's transaction on a device.
        case edit(device: Int, sql: String)
        /// A transaction of another program in the central database.
        case office(sql: String)
        case exchange(device: Int, [Event])
        /// The app is killed and started again.
        case crash(device: Int)
        case backUp(device: Int)
        case restore(device: Int)
        /// One device's file replaces another's; both go on.
        case copy(from: Int, to: Int)
        /// A device's clock jumps by this many milliseconds.
        case clock(device: Int, by: Int64)
        case hubClock(by: Int64)
        case restartHub
        case backUpHub
        /// The central database goes back to its last backup, and counts on from there.
        case restoreHub
        /// An earlier request arrives once more, and nobody reads the answer.
        case redeliver(device: Int, back: Int)
        /// The app drops the triggers of a table.
        case dropTriggers(device: Int, table: String)
        /// A new version of the app changes its tables.
        case migrate(device: Int, sql: String)
        /// The app keeps itself up to date from now on, or returns to the foreground.
        case keepUpToDate(device: Int)
        /// An app that keeps itself up to date goes to the background.
        case leave(device: Int)
        /// The app subscribes to an area, for so many milliseconds or until it ends that.
        case subscribe(device: Int, area: String, ScopePriority, timeToLive: Int64?)
        case unsubscribe(device: Int, area: String)
        /// Another user signs in on a device.
        case signIn(device: Int, user: String)
        /// Whoever runs the hub orders a device to delete its data.
        case wipe(device: Int)
        /// The owner changes the central tables, and attaches again.
        case attach(sql: String)
        /// The owner changes the central tables, and attaches at another time.
        case alter(sql: String)
        /// A new version of the app changes its tables and fills columns, and edits nothing.
        case upgrade(device: Int, Upgrade, sql: String)
    }

    /// How an app runs its migrations.
    package enum Upgrade: String, Hashable, Sendable {
        /// By ``Replica/migrate(_:with:)``.
        case replica
        /// By itself, or by a process that ends before it is done. A rebuilt table has lost its
        /// triggers.
        case bare
    }

    /// What goes wrong, or happens in between, after this many frames have reached the device. With
    /// 0 frames, the request is ready and not yet sent.
    package struct Event: Hashable, Sendable {
        package var frames: Int
        package var what: What

        package init(after frames: Int, _ what: What) {
            self.frames = frames
            self.what = what
        }

        package enum What: Hashable, Sendable {
            case edit(sql: String)
            case office(sql: String)
            /// The connection breaks.
            case lose
            /// The hub continues, and the device receives no more.
            case deaf
            /// The sync continues with further exchanges until nothing is left. Other events happen
            /// to the first exchange only. Without this event, the device continues another time,
            /// so that histories reach the states in between.
            case whole
            /// The request arrives twice, and the first answer is lost.
            case twice
            /// Only this many thousandths of the next frame arrive.
            case cut(Int)
            case crash, restartHub
            /// The device's next work is interrupted after this many steps of SQLite.
            case interrupt(Int)
            case interruptHub(Int)
            /// Something goes wrong on the device's disk.
            case disk(DiskFailure)
            /// Another program keeps the central database's write lock until the exchange is over,
            /// so that unnumbered rows get no number.
            case busyHub
            /// Another process on the same file carries out a whole exchange.
            case interleave
            /// Another process on the same file makes a request ready, and dies.
            case interleaveLost
        }
    }
}
