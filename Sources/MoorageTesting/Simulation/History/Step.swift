/// One thing that happens, at a time of its own: what other steps do, or that they are gone, does not
/// move it.
public struct Step: Hashable, Sendable {
    /// Milliseconds since the world began. It is the step's salt, too: every random number that the
    /// step needs comes from it and the world's seed.
    public var at: Int64
    public var action: Action

    public init(at: Int64, _ action: Action) {
        self.at = at
        self.action = action
    }

    /// Devices are counted from 1, as in the text.
    public enum Action: Hashable, Sendable {
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
        /// A device's clock is set: it jumps by so many milliseconds.
        case clock(device: Int, by: Int64)
        case hubClock(by: Int64)
        case restartHub
        case backUpHub
        /// The central database is what it was at its last backup, and counts on.
        case restoreHub
        /// A request that was sent before arrives once more; nobody hears the answer.
        case redeliver(device: Int, back: Int)
        /// The app drops the triggers of a table.
        case dropTriggers(device: Int, table: String)
        /// A new version of the app changes its tables.
        case migrate(device: Int, sql: String)
        /// The app keeps itself up to date from now on, or is in front of its user again.
        case keepUpToDate(device: Int)
        /// Such an app goes to the background.
        case leave(device: Int)
        /// Another user signs in on a device.
        case signIn(device: Int, user: String)
        /// Whoever runs the hub orders a device to delete what it holds.
        case wipe(device: Int)
        /// The owner changes the central tables, and attaches again.
        case attach(sql: String)
    }

    /// What goes wrong, or comes between, once so many frames have reached the device; with none, the
    /// request is ready and not yet sent.
    public struct Event: Hashable, Sendable {
        public var frames: Int
        public var what: What

        public init(after frames: Int, _ what: What) {
            self.frames = frames
            self.what = what
        }

        public enum What: Hashable, Sendable {
            case edit(sql: String)
            case office(sql: String)
            /// The connection breaks.
            case lose
            /// The hub goes on, and the device hears no more.
            case deaf
            /// The sync goes on with further exchanges until nothing is left; what else happens, happens to
            /// the first. Without it the device comes back another time, so that histories reach what lies
            /// in between.
            case whole
            /// The request arrives twice; the first answer goes nowhere.
            case twice
            /// Of the next frame only so many thousandths arrive.
            case cut(Int)
            case crash, restartHub
            /// The device's next piece of work is broken off after so many steps of SQLite.
            case interrupt(Int)
            case interruptHub(Int)
            /// Something goes wrong on the device's disk.
            case disk(DiskFailure)
            /// Another program holds the central database's write lock until the exchange is over: what
            /// has no number yet gets none.
            case busyHub
            /// Another process on the same file carries out a whole exchange.
            case interleave
            /// Another process on the same file makes a request ready, and dies.
            case interleaveLost
        }
    }
}
