/// A rule in Swift.
///
/// It must be a pure function of its question: the hub may ask it twice. A handler that combines
/// two values must give its own result again when it is asked about that result. Then a change that
/// is offered again changes nothing.
public struct MergeHandler: Sendable {
    /// Names the handler in the conflict log and in messages; never empty.
    public let name: String
    /// How long the handler may take. The hub refuses a change that it has not decided by then.
    public let timeLimit: Duration
    package let decide: @Sendable (MergeQuestion) throws -> MergeAnswer

    /// - Parameters:
    ///   - name: Distinguishes this handler from others. Not empty, and not spaces alone.
    ///   - timeLimit: More than zero, and at most 60 seconds. With another, each exchange fails as
    ///     `configuration`; `Hub.checkConfiguration` tells before the first one.
    ///   - decide: Answers a question, on a thread of its own. The hub refuses the change with the
    ///     code ``Refusal/Code/rule`` when this throws. The batch's rows are locked meanwhile.
    public init(
        _ name: String, timeLimit: Duration = .seconds(1),
        decide: @escaping @Sendable (MergeQuestion) throws -> MergeAnswer
    ) {
        self.name = name
        self.timeLimit = timeLimit
        self.decide = decide
    }

    func problem(in place: String) -> String? {
        if name.utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) {
            return RuleProblem.handlerWithoutName(place)
        }
        if timeLimit <= .zero || timeLimit > .seconds(60) {
            return RuleProblem.handlerTime(timeLimit, of: name, place)
        }
        return nil
    }
}

extension MergeHandler: Hashable {
    /// Handlers are compared by name.
    public static func == (left: MergeHandler, right: MergeHandler) -> Bool {
        left.name.hasSameBytes(as: right.name)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(Value.text(name)) }
}

/// The question to a rule: two changes that met.
public struct MergeQuestion: Sendable {
    /// Never `updateDelete` or `refused`: no rule decides those.
    public let kind: Conflict.Kind
    /// The name of the row's table.
    public let table: String
    /// The row's primary key, which an answer cannot change.
    public let key: RowKey
    /// The columns that both sides changed.
    public let columns: [String]
    /// What the replica's edit started from; `nil` where it started from nothing.
    public let base: NamedValues?
    /// What the replica asks for; `nil` for a delete.
    public let mine: NamedValues?
    /// The whole central row.
    public let theirs: NamedValues
    /// The replica, its class, and when it made the change.
    public let origin: ChangeOrigin
    /// When the central row was last changed.
    public let theirsChangedAt: HubTime?
}

/// What a rule answers.
public enum MergeAnswer: Hashable, Sendable {
    /// The replica's change wins.
    case mine
    /// The central side wins.
    case theirs
    /// The row gets these values. Columns that are not named keep their central values.
    case values(NamedValues)
    /// The hub refuses the change for this reason. The reason must not contain values of others.
    case reject(String)
}

/// Who made a change, and when.
public struct ChangeOrigin: Hashable, Sendable {
    /// The replica's id, a UUID in lower case; empty when there is none.
    public let replica: String
    /// The class that the hub's configuration names. A device cannot claim one.
    public let replicaClass: String?
    /// Where `newest` compares two changes, the one with the higher priority wins.
    public let priority: Int
    /// When the change was made, on the hub's clock.
    public let editedAt: HubTime

    /// - Parameters:
    ///   - replica: The replica's id.
    ///   - replicaClass: Its class in the hub's configuration; `nil` when it has none.
    ///   - priority: The priority of its class; 0 without a class.
    ///   - editedAt: When the change was made, on the hub's clock.
    public init(
        replica: String = "", replicaClass: String? = nil, priority: Int = 0, editedAt: HubTime
    ) {
        self.replica = replica
        self.replicaClass = replicaClass
        self.priority = priority
        self.editedAt = editedAt
    }

    /// Whether the change wins over the central row by `newest`. Time decides between equal
    /// priorities.
    public func isNewer(than central: CentralRow) -> Bool {
        if priority != central.priority { return priority > central.priority }
        return central.changedAt.map { editedAt > $0 } ?? true
    }
}

/// Values by column name, compared by bytes.
public struct NamedValues: Hashable, Sendable {
    /// In the table's order.
    public let columns: [String]
    /// One for each of ``columns``, in the same order.
    public let values: [Value]

    /// - Parameters:
    ///   - stored: Values by position, each a position in `table`.
    ///   - table: Gives the columns their names.
    public init(_ stored: [StoredValue], in table: TableDescription) {
        self.init(stored.map { (table.columns[$0.column].name, $0.value) })
    }

    /// - Parameter pairs: Columns by name with their values.
    public init(_ pairs: [(column: String, value: Value)]) {
        columns = pairs.map(\.column)
        values = pairs.map(\.value)
    }

    /// The value of a column; `nil` when it is not among these.
    public subscript(_ column: String) -> Value? {
        columns.firstIndex { $0.hasSameBytes(as: column) }.map { values[$0] }
    }
}

extension NamedValues: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(elements.map { ($0, $1) })
    }
}
