import MoorageCore
import MoorageWire

/// How far a program has read the changes.
///
/// A reading has a window: what lies beyond `since` and within `bound`. Rows that change meanwhile
/// are beyond the window, and come with the next one.
struct ChangePosition: Hashable, Sendable {
    /// Everything that this checkpoint shows was read before the window; `nil` while the rows are
    /// read for the first time.
    let since: Checkpoint?
    /// What the window shows; `nil` where no window is open.
    let bound: Checkpoint?
    /// How far the window was read; `nil` at its beginning.
    let place: ChangePlace?

    /// Everything that the checkpoint shows was read.
    static func caughtUp(_ checkpoint: Checkpoint) -> ChangePosition {
        ChangePosition(since: checkpoint, bound: nil, place: nil)
    }
}

/// A place in a window. Tracking rows are in the order of their versions. Within one version, which
/// is a transaction or a numbering step, upserts come first, by table, scope and key. Deletes come
/// after them, by table and scope in reverse, and by key.
///
/// Where rows are read for the first time, the order is table, scope, key.
struct ChangePlace: Hashable, Sendable {
    /// 0 where rows are read for the first time.
    let version: UInt64
    /// Whether the upserts of the version were passed.
    let isDeleting: Bool
    /// Whether the version has tombstones among the tracking rows that were passed.
    let hasTombstones: Bool
    /// The table's place in the feed, in foreign-key order.
    let table: Int
    let scope: Scope
    /// The last tracking row that was passed; without values before the first of its scope.
    let key: RowKey
}

// MARK: - As a text

extension ChangePosition {
    /// More than a page's position ever has, so that a program can send it back in an address.
    static let mostBytes = 50_000

    /// The position as a program sends it back, with the code of the feed before it.
    ///
    /// - Throws: ``RowProblem`` where the key at the place is too long.
    func text(_ code: (String) -> String) throws -> String {
        let document = JSONWriter.document {
            $0.object { members in
                if let since { members.member("since", since.text) }
                if let bound { members.member("bound", bound.text) }
                if let place {
                    members.name("place")
                    place.write(to: &members)
                }
            }
        }
        let payload = Base64.encode(urlSafe: document)
        let text = code(payload) + payload
        guard text.utf8.count <= Self.mostBytes else { throw RowProblem.longKeyOfChange }
        return text
    }

    /// - Parameters:
    ///   - tables: How many tables the feed has.
    ///   - code: Makes the feed's code.
    /// - Throws: ``RowProblem`` `expired` for a text that is no position of the feed.
    init(_ text: String, tables: Int, _ code: (String) -> String) throws {
        let length = 32
        guard (length...Self.mostBytes).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 < 0x80 })
        else { throw RowProblem.expired }
        let payload = String(text.dropFirst(length))
        guard SignatureCode.areEqual(code(payload), String(text.prefix(length))),
            let bytes = Base64.decode(urlSafe: payload), let json = try? JSON(parsing: bytes)
        else { throw RowProblem.expired }
        since = try Self.checkpoint(json["since"])
        bound = try Self.checkpoint(json["bound"])
        place = try json["place"].map { try ChangePlace($0, tables: tables) }
        guard since != nil || bound != nil, bound != nil || place == nil else {
            throw RowProblem.expired
        }
    }

    private static func checkpoint(_ json: JSON?) throws -> Checkpoint? {
        guard let json else { return nil }
        guard case .string(let text) = json else { throw RowProblem.expired }
        return Checkpoint(text)
    }
}

extension ChangePlace {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            $0.member("version", String(version))
            $0.name("deletes")
            $0.bool(isDeleting)
            $0.name("tombstones")
            $0.bool(hasTombstones)
            $0.name("table")
            $0.integer(Int64(table))
            $0.member("scope", scope.name)
            $0.name("key")
            $0.encoded(Array(key.values.jsonText().utf8))
        }
    }

    fileprivate init(_ json: JSON, tables: Int) throws {
        guard case .string(let number)? = json["version"], let version = UInt64(number),
            case .bool(let isDeleting)? = json["deletes"],
            case .bool(let hasTombstones)? = json["tombstones"],
            case .number(let place)? = json["table"], let table = Int(place),
            (0..<tables).contains(table), case .string(let scope)? = json["scope"],
            let key = json["key"]
        else { throw RowProblem.expired }
        let document = JSONWriter.document { $0.json(key) }
        guard let values = try? [Value](jsonText: String(decoding: document, as: UTF8.self)) else {
            throw RowProblem.expired
        }
        self.init(
            version: version, isDeleting: isDeleting, hasTombstones: hasTombstones, table: table,
            scope: Scope(scope), key: RowKey(values))
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }
}
