import MoorageCore
import MoorageHub

/// How a push tells the trigger functions when the rows of its next statement were edited. Each
/// tracking row is then written once, with that time, and not a second time afterwards
/// (docs/reference/hub.md, PostgreSQL).
///
/// Settings of the transaction carry the times: an array for each key column and one of times. They
/// end with the transaction, and with a rollback of the savepoint in which they were set.
///
/// - A1: They apply to one statement of the hub's, whose trigger removes them. What a cascade or a
///   trigger of the owner's writes within it gets the time of the clock.
/// - A2: A function never accepts a time beyond the clock, because anyone who can write a row can
///   set the times, too.
/// - A3: Older functions do not know the settings and work as before. Only functions that used the
///   times say so. Where none did, the hub sets the times afterwards.
struct AnnouncedTimes {
    private let shape: TableShape

    init(_ shape: TableShape) { self.shape = shape }

    /// Whether the functions of the table use announced times. They do not with scopes, where a row
    /// has several tracking rows. They do not for a partitioned table either, whose rows are
    /// tracked one by one.
    var areSupported: Bool { shape.table.scopes.isEmpty && !shape.isPartitioned }

    /// Fewer rows than this are set afterwards as quickly as they are announced.
    static let fewestRows = 64

    private func setting(_ word: String) -> String {
        SQLText.literal("moorage.\(word)_\(shape.table.number)")
    }

    private func keySetting(_ position: Int) -> String { setting("edited_k\(position)") }
    private var times: String { setting("edited_at") }
    /// `true` where every row was written with its time, `false` where a later one was not.
    private var applied: String { setting("edited_taken") }

    // MARK: In the trigger functions

    /// - Parameters:
    ///   - body: SQL that writes the tracking rows with the times.
    ///   - other: SQL that writes them without the times.
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

    /// The changed keys with their times, `edited`; NULL for keys that were not announced. It reads
    /// both in one pass, because a join's plan may be wrong about how many there are.
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
