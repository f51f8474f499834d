import MoorageCore
import MoorageHub

/// How a push tells the trigger functions when the rows of its next statement were edited: each
/// tracking row is then written once, with that time, instead of a second time after it (docs/design.md, 5.1).
///
/// Settings of the transaction carry it, an array for each key column and one of times. They go with the
/// transaction, and with the savepoint in which they were made.
///
/// - A1: They are for one statement of the hub's, whose trigger takes them away. What others write within
///   it, a cascade or a trigger of the owner's, has the time of the clock.
/// - A2: They are never believed beyond the clock: whoever can write a row can set them, too.
/// - A3: Functions of before, which do not know them, go on as they did: only those that took the
///   times say so, and the hub sets them afterwards where nobody has.
struct AnnouncedTimes {
    private let shape: TableShape

    init(_ shape: TableShape) { self.shape = shape }

    /// Whether the functions of the table take times: with scopes a row has several tracking rows, and
    /// rows of a partitioned table are tracked one by one.
    var areSupported: Bool { shape.table.scopes.isEmpty && !shape.isPartitioned }

    /// A few rows are set afterwards as soon as they are announced.
    static let fewestRows = 64

    private func setting(_ word: String) -> String {
        SQLText.literal("moorage.\(word)_\(shape.table.number)")
    }

    private func keySetting(_ position: Int) -> String { setting("edited_k\(position)") }
    private var times: String { setting("edited_at") }
    /// `true` where all was written with its time, `false` where something after that was not.
    private var applied: String { setting("edited_taken") }

    // MARK: In the trigger functions

    /// - Parameters:
    ///   - body: Writes the tracking rows with the times.
    ///   - other: Does without.
    func applying(_ body: String, else other: String) -> String {
        let gone = ([times] + shape.keys.indices.map(keySetting))
            .map { "set_config(\($0), '', true)" }
        return """
            IF pg_trigger_depth() = 1 AND current_setting(\(times), true) <> '' THEN
              \(body)
              PERFORM \(gone.joined(separator: ", ")), set_config(\(applied),
                coalesce(nullif(current_setting(\(applied), true), ''), 'true'), true);
            ELSE
              \(other)
              IF current_setting(\(applied), true) = 'true' THEN
                PERFORM set_config(\(applied), 'false', true);
              END IF;
            END IF;
            """
    }

    /// Touched keys with their times, `edited`; NULL for what was not announced. One pass over both:
    /// no plan of a join can be wrong about how many there are.
    func joined(_ changedKeys: String) -> String {
        let names = shape.keyNames()
        let arrays = shape.keys.enumerated().map {
            "current_setting(\(keySetting($0)))::\($1.plainTrackType)[]"
        }
        let keys = shape.keys.enumerated().map { "\($1.collated("a.k\($0)")) AS k\($0)" }
        return """
            SELECT \(names), max(edited) AS edited
            FROM (SELECT \(names), NULL::bigint AS edited FROM (\(changedKeys)) AS w
                  UNION ALL
                  SELECT \(keys.joined(separator: ", ")), a.edited
                  FROM unnest(\(arrays.joined(separator: ", ")), current_setting(\(times))::bigint[])
                    AS a(\(names), edited)) AS b
            GROUP BY \(names) HAVING bool_or(edited IS NULL) ORDER BY \(names)
            """
    }

    // MARK: In a push

    /// Announces the times `c0` of the keys in parameter arrays.
    var announcement: String {
        let keys = shape.keys.indices.map {
            "set_config(\(keySetting($0)), array_agg(x.k\($0))::text, true) IS NULL"
        }
        return """
            SELECT \(keys.joined(separator: ", ")), set_config(\(times), array_agg(x.c0)::text, true) IS NULL
            FROM \(shape.keyRows(extra: 1))
            """
    }

    var wereApplied: String { "SELECT current_setting(\(applied), true) = 'true'" }
}
