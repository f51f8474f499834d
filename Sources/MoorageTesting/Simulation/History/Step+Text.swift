import MoorageCore

extension Step {
    var line: String { "\(at) \(action.text)" }

    init(line: String) throws {
        guard let (time, rest) = line.split(at: " "), let at = Int64(time) else {
            throw HistorySyntaxError(line)
        }
        self.at = at
        guard let action = Action(text: rest) else { throw HistorySyntaxError(line) }
        self.action = action
    }
}

extension Step.Action {
    var text: String {
        switch self {
        case .edit(let device, let sql): "device \(device): \(sql)"
        case .office(let sql): "office: \(sql)"
        case .exchange(let device, let events):
            (["exchange \(device)"] + events.map(\.text)).joined(separator: " | ")
        case .crash(let device): "crash \(device)"
        case .backUp(let device): "backup \(device)"
        case .restore(let device): "restore \(device)"
        case .copy(let from, let to): "copy \(from) to \(to)"
        case .clock(let device, let by): "clock \(device) by \(by)"
        case .hubClock(let by): "hub clock by \(by)"
        case .restartHub: "restart hub"
        case .backUpHub: "backup hub"
        case .restoreHub: "restore hub"
        case .redeliver(let device, let back): "redeliver \(device) back \(back)"
        case .dropTriggers(let device, let table): "drop triggers \(device) of \(table)"
        case .subscribe(let device, let area, let priority, let time):
            "subscribe \(device) \(area) \(priority.rawValue)" + (time.map { " \($0)" } ?? "")
        case .unsubscribe(let device, let area): "unsubscribe \(device) \(area)"
        case .signIn(let device, let user): "sign in \(device) \(user)"
        case .wipe(let device): "wipe \(device)"
        case .keepUpToDate(let device): "run \(device)"
        case .leave(let device): "leave \(device)"
        case .migrate(let device, let sql): "migrate \(device): \(sql)"
        case .attach(let sql): sql.isEmpty ? "attach" : "attach: \(sql)"
        case .alter(let sql): "alter: \(sql)"
        case .upgrade(let device, .replica, let sql): "upgrade \(device): \(sql)"
        case .upgrade(let device, let upgrade, let sql):
            "upgrade \(device) \(upgrade.rawValue): \(sql)"
        }
    }

    init?(text: String) {
        switch text {
        case "restart hub": self = .restartHub
        case "backup hub": self = .backUpHub
        case "restore hub": self = .restoreHub
        case "attach": self = .attach(sql: "")
        default:
            guard let known = Self.withSQL(text) ?? Self.withNumbers(text) else { return nil }
            self = known
        }
    }

    private static func withSQL(_ text: String) -> Self? {
        if let sql = text.after("office: ") { return .office(sql: sql) }
        if let sql = text.after("attach: ") { return .attach(sql: sql) }
        if let sql = text.after("alter: ") { return .alter(sql: sql) }
        if let rest = text.after("upgrade ") { return upgrade(rest) }
        for kind in ["device ", "migrate "] {
            guard let (number, sql) = text.after(kind)?.split(at: ": "), let device = Int(number)
            else { continue }
            return kind == "device "
                ? .edit(device: device, sql: sql) : .migrate(device: device, sql: sql)
        }
        guard let rest = text.after("exchange ") else { return nil }
        var parts: [String] = []
        var left = rest
        while let (part, more) = left.split(at: " | ") {
            parts.append(part)
            left = more
        }
        parts.append(left)
        guard let device = Int(parts[0]) else { return nil }
        let events = parts.dropFirst().compactMap(Step.Event.init(text:))
        return events.count == parts.count - 1 ? .exchange(device: device, events) : nil
    }

    private static func upgrade(_ text: String) -> Self? {
        guard let (head, sql) = text.split(at: ": ") else { return nil }
        let words = head.split(separator: " ").map(String.init)
        guard let device = words.first.flatMap({ Int($0) }) else { return nil }
        switch words.count {
        case 1: return .upgrade(device: device, .replica, sql: sql)
        case 2 where words[1] == Step.Upgrade.bare.rawValue:
            return .upgrade(device: device, .bare, sql: sql)
        default: return nil
        }
    }

    private static func withNumbers(_ text: String) -> Self? {
        let words = text.split(separator: " ").map(String.init)
        func number(_ index: Int) -> Int? {
            words.indices.contains(index) ? Int(words[index]) : nil
        }
        switch (words.first, words.count) {
        case ("crash", 2): return number(1).map { .crash(device: $0) }
        case ("backup", 2): return number(1).map { .backUp(device: $0) }
        case ("restore", 2): return number(1).map { .restore(device: $0) }
        case ("run", 2): return number(1).map { .keepUpToDate(device: $0) }
        case ("leave", 2): return number(1).map { .leave(device: $0) }
        case ("wipe", 2): return number(1).map { .wipe(device: $0) }
        case ("subscribe", 4...5): return subscription(words)
        case ("unsubscribe", 3): return number(1).map { .unsubscribe(device: $0, area: words[2]) }
        case ("sign", 4): return number(2).map { .signIn(device: $0, user: words[3]) }
        case ("copy", 4):
            guard let from = number(1), let to = number(3) else { return nil }
            return .copy(from: from, to: to)
        case ("clock", 4):
            guard let device = number(1), let by = Int64(words[3]) else { return nil }
            return .clock(device: device, by: by)
        case ("hub", 4): return Int64(words[3]).map { .hubClock(by: $0) }
        case ("redeliver", 4):
            guard let device = number(1), let back = number(3) else { return nil }
            return .redeliver(device: device, back: back)
        case ("drop", 5): return number(2).map { .dropTriggers(device: $0, table: words[4]) }
        default: return nil
        }
    }

    private static func subscription(_ words: [String]) -> Self? {
        guard let device = Int(words[1]), let priority = ScopePriority(rawValue: words[3]) else {
            return nil
        }
        if words.count == 4 {
            return .subscribe(device: device, area: words[2], priority, timeToLive: nil)
        }
        guard let time = Int64(words[4]), time > 0 else { return nil }
        return .subscribe(device: device, area: words[2], priority, timeToLive: time)
    }
}

extension Step.Event {
    var text: String { "after \(frames): \(what.text)" }

    init?(text: String) {
        guard let (number, rest) = text.after("after ")?.split(at: ": "), let frames = Int(number),
            let what = What(text: rest)
        else { return nil }
        self.frames = frames
        self.what = what
    }
}

extension Step.Event.What {
    var text: String {
        switch self {
        case .edit(let sql): "device \(sql)"
        case .office(let sql): "office \(sql)"
        case .lose: "lose"
        case .deaf: "deaf"
        case .whole: "whole"
        case .twice: "twice"
        case .cut(let thousandths): "cut \(thousandths)"
        case .crash: "crash"
        case .restartHub: "restart hub"
        case .interrupt(let steps): "interrupt \(steps)"
        case .interruptHub(let steps): "interrupt hub \(steps)"
        case .busyHub: "busy hub"
        case .interleave: "interleave"
        case .interleaveLost: "interleave lost"
        case .disk(let failure): "disk \(failure.kind.rawValue) \(failure.number)"
        }
    }

    init?(text: String) {
        switch text {
        case "lose": self = .lose
        case "deaf": self = .deaf
        case "whole": self = .whole
        case "twice": self = .twice
        case "crash": self = .crash
        case "restart hub": self = .restartHub
        case "busy hub": self = .busyHub
        case "interleave": self = .interleave
        case "interleave lost": self = .interleaveLost
        default:
            if let sql = text.after("device ") {
                self = .edit(sql: sql)
            } else if let sql = text.after("office ") {
                self = .office(sql: sql)
            } else if let (kind, count) = text.after("disk ")?.split(at: " "),
                let kind = DiskFailure.Kind(rawValue: kind), let number = Int(count), number > 0
            {
                self = .disk(DiskFailure(kind, number: number))
            } else if let number = text.after("cut ").flatMap({ Int($0) }) {
                self = .cut(number)
            } else if let number = text.after("interrupt hub ").flatMap({ Int($0) }) {
                self = .interruptHub(number)
            } else if let number = text.after("interrupt ").flatMap({ Int($0) }) {
                self = .interrupt(number)
            } else {
                return nil
            }
        }
    }
}
