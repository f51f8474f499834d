public import MoorageCore

/// One of Moorage's tables, indexes, triggers or functions: as an attach would make it, or as it
/// is.
public struct OwnObject: Hashable, Sendable {
    /// The word after `CREATE`, in lower case.
    public enum Kind: String, Hashable, Sendable {
        /// A table of Moorage's own, or a tracking table.
        case table
        /// An index on such a table.
        case index
        /// A trigger that records changes.
        case trigger
        /// A function for triggers, or for the connector, on databases that need one.
        case function
    }

    /// Whether and how a trigger fires.
    public enum Firing: Hashable, Sendable {
        /// It fires in ordinary sessions.
        case usual
        /// It fires in every session, also in one that applies a replication stream.
        case always
        /// It does not fire in ordinary sessions.
        case never
    }

    /// Objects of different kinds may have one name.
    public let kind: Kind
    /// The name without a schema. It is compared by bytes.
    public let name: String
    /// The table of a trigger or an index; empty for others.
    public let place: String
    /// What it consists of; `nil` where only its name is compared.
    public let definition: [String]?
    /// Whether and how a trigger fires; `usual` for other objects.
    public let firing: Firing

    /// - Parameters:
    ///   - place: The table of a trigger or an index.
    ///   - definition: Texts in an order that is the same for equal objects.
    public init(
        _ kind: Kind, _ name: String, on place: String = "", definition: [String]? = nil,
        firing: Firing = .usual
    ) {
        self.kind = kind
        self.name = name
        self.place = place
        self.definition = definition
        self.firing = firing
    }

    private func isSame(as other: OwnObject) -> Bool {
        kind == other.kind && name.hasSameBytes(as: other.name)
            && (kind != .trigger || place.hasSameBytes(as: other.place))
    }

    /// - Parameters:
    ///   - expected: What an attach would make now.
    ///   - found: What exists. Other objects among it do not matter.
    ///   - table: The owner's table that they track; `nil` for objects that belong to all tables.
    ///   - isExact: Whether to compare definitions, too.
    public static func findings(
        expected: [OwnObject], found: [OwnObject], of table: String?, isExact: Bool = true
    ) -> [Finding] {
        var missing: [OwnObject] = []
        var disabled: [OwnObject] = []
        var altered: [OwnObject] = []
        for object in expected {
            guard let known = found.first(where: { $0.isSame(as: object) }) else {
                missing.append(object)
                continue
            }
            if known.firing == .never {
                disabled.append(object)
            } else if object.firing == .always, known.firing != .always {
                altered.append(object)
            } else if isExact, let wanted = object.definition, wanted != known.definition {
                altered.append(object)
            }
        }
        let what = table.map { "changes of \($0) are not all noticed" } ?? "the hub cannot work"
        let isTracking: (OwnObject) -> Bool = { $0.kind == .trigger || $0.kind == .function }
        return [
            finding(
                .ownTriggerMissing, missing.filter(isTracking), table, "gone: \(what)"),
            finding(
                .ownObjectMissing, missing.filter { !isTracking($0) }, table,
                "gone: \(table.map { "\($0) cannot be synced" } ?? "the hub cannot work")"),
            finding(.ownTriggerDisabled, disabled, table, "disabled: \(what)"),
            finding(
                .ownTriggerAltered, altered, table,
                """
                not as an attach makes it now: somebody altered it, or the tables have changed since, and changes \
                may go unnoticed. Where somebody did, `moorage attach --new-epoch` lets every replica compare
                """),
        ].compactMap(\.self)
    }

    private static func finding(
        _ code: Finding.Code, _ objects: [OwnObject], _ table: String?, _ what: String
    ) -> Finding? {
        guard let first = objects.first else { return nil }
        let more = objects.count > 1 ? ", and \(objects.count - 1) more," : ""
        return Finding(
            code, .problem, table: table,
            """
            Moorage's \(first.kind.rawValue) \(first.name)\(more) is \(what). `moorage attach` makes it again.
            """, repair: .attach)
    }
}

extension OwnObject {
    /// What a CREATE statement makes; `nil` for other statements, and for what has no name.
    ///
    /// It omits schemas, so that the database's own text for the same object can be compared.
    public init?(creating statement: SQLWords) {
        var words = statement.words.withoutSchemas
        guard words.first?.isKeyword("CREATE") == true else { return nil }
        if words.count > 2, words[1].isKeyword("OR"), words[2].isKeyword("REPLACE") {
            words.removeSubrange(1...2)
        }
        for skipped in ["UNIQUE", "UNLOGGED"] where words.count > 1 && words[1].isKeyword(skipped) {
            words.remove(at: 1)
        }
        guard words.count > 2, words[1].kind == .plain,
            let kind = Kind(rawValue: words[1].text.lowercased())
        else { return nil }
        if words.count > 5, words[2].isKeyword("IF") { words.removeSubrange(2...4) }
        let name = words[2].text
        guard words[2].isName else { return nil }
        var place = ""
        if kind == .trigger || kind == .index,
            let on = words.firstIndex(where: { $0.isKeyword("ON") }), on + 1 < words.count
        {
            place = words[on + 1].text
        }
        self.init(kind, name, on: place, definition: words.map(\.text))
    }
}

extension [SQLWords.Word] {
    /// `public.orders` becomes `orders`.
    fileprivate var withoutSchemas: [SQLWords.Word] {
        var result: [SQLWords.Word] = []
        var index = 0
        while index < count {
            if index + 2 < count, self[index].isName, self[index + 1].isMark("."),
                self[index + 2].isName, !self[index].isRow
            {
                index += 2
                continue
            }
            result.append(self[index])
            index += 1
        }
        return result
    }
}

extension SQLWords.Word {
    /// Whether it is the row of a trigger, with the name of a column behind it.
    fileprivate var isRow: Bool { isKeyword("NEW") || isKeyword("OLD") }
}
