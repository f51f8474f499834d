extension Step {
    /// Whether the step is a fault and nobody's wish.
    var isFault: Bool {
        switch action {
        case .edit, .office, .migrate, .attach, .alter, .upgrade: false
        case .exchange, .backUp, .backUpHub, .subscribe, .unsubscribe: false
        default: true
        }
    }
}

extension Step.Action {
    /// Statements that can be removed one by one. An upgrade, or what the owner alters, is one.
    var sql: String? {
        switch self {
        case .edit(_, let sql), .office(let sql), .migrate(_, let sql), .attach(let sql): sql
        default: nil
        }
    }

    func with(sql: String) -> Self {
        switch self {
        case .edit(let device, _): .edit(device: device, sql: sql)
        case .office: .office(sql: sql)
        case .migrate(let device, _): .migrate(device: device, sql: sql)
        case .attach: .attach(sql: sql)
        default: self
        }
    }

    /// The same in a world that lacks a device; `nil` when it was that device's.
    func without(device gone: Int) -> Self? {
        func shifted(_ number: Int) -> Int? {
            number == gone ? nil : number > gone ? number - 1 : number
        }
        switch self {
        case .office, .hubClock, .restartHub, .backUpHub, .restoreHub, .attach, .alter:
            return self
        case .edit(let number, let sql): return shifted(number).map { .edit(device: $0, sql: sql) }
        case .exchange(let number, let events):
            return shifted(number).map { .exchange(device: $0, events) }
        case .crash(let number): return shifted(number).map { .crash(device: $0) }
        case .backUp(let number): return shifted(number).map { .backUp(device: $0) }
        case .restore(let number): return shifted(number).map { .restore(device: $0) }
        case .copy(let from, let to):
            guard let from = shifted(from), let to = shifted(to) else { return nil }
            return .copy(from: from, to: to)
        case .clock(let number, let by): return shifted(number).map { .clock(device: $0, by: by) }
        case .redeliver(let number, let back):
            return shifted(number).map { .redeliver(device: $0, back: back) }
        case .dropTriggers(let number, let table):
            return shifted(number).map { .dropTriggers(device: $0, table: table) }
        case .subscribe(let number, let area, let priority, let time):
            return shifted(number).map {
                .subscribe(device: $0, area: area, priority, timeToLive: time)
            }
        case .unsubscribe(let number, let area):
            return shifted(number).map { .unsubscribe(device: $0, area: area) }
        case .signIn(let number, let user):
            return shifted(number).map { .signIn(device: $0, user: user) }
        case .keepUpToDate(let number): return shifted(number).map { .keepUpToDate(device: $0) }
        case .leave(let number): return shifted(number).map { .leave(device: $0) }
        case .wipe(let number): return shifted(number).map { .wipe(device: $0) }
        case .migrate(let number, let sql):
            return shifted(number).map { .migrate(device: $0, sql: sql) }
        case .upgrade(let number, let upgrade, let sql):
            return shifted(number).map { .upgrade(device: $0, upgrade, sql: sql) }
        }
    }
}
