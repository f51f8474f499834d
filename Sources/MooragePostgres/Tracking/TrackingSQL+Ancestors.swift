import MoorageCore
import MoorageHub

/// The triggers on tables that decide about the scopes of a table's rows.
extension TrackingSQL {
    /// Unresolved moves store keys as text. Any program's session writes them and the hub's reads
    /// them, so the functions fix these settings.
    static let plainTexts = [
        "DateStyle TO 'ISO, YMD'", "IntervalStyle TO 'postgres'", "extra_float_digits TO 1",
    ]

    /// Any program's session runs the functions. In some sessions a backslash in a literal, such as
    /// a filter's constant or a name, would escape what follows it.
    static let plainLiterals = "standard_conforming_strings TO on"

    /// The tables that decide about this one's scopes, including itself; empty where it has no
    /// scopes.
    var decidingTables: [String] { scoped?.tables ?? [] }

    /// Every name that ``ancestorSteps(types:)`` can give a function.
    static func ancestorFunctions(of table: AttachedTable) -> Set<String> {
        table.ancestorNames(["update", "wrote", "lock", "truncate"])
    }

    /// The function that derives recorded rows again. Its name has only the table's number, as
    /// unresolved moves do.
    static func resolveFunction(_ number: Int, in schema: OwnerSchema) -> String {
        schema.table("moorage_resolve_\(number)")
    }

    /// The triggers on tables that decide about the scopes of this one's rows.
    ///
    /// They also fire for rows that are inserted or deleted. A statement can delete a row and
    /// insert it again while other rows refer to it. A foreign key can be deferred or not yet
    /// valid.
    ///
    /// - Parameter types: The types of a table's columns, with their collations.
    func ancestorSteps(
        types: (_ table: String, _ columns: [String]) throws -> [String]
    ) throws -> [String] {
        guard let scoped else { return [] }
        var statements: [String] = []
        for (place, ancestor) in scoped.ancestors.enumerated() {
            let kind = "upper\(place)_"
            let name = shape.schema.table(ancestor.table)
            func add(_ function: String, _ body: String, returning row: String = "NULL") {
                statements.append(
                    create(
                        kind + function, guarded(body), settings: ["enable_seqscan TO off"],
                        returning: row, isOwn: false))
            }
            func fire(_ word: String, _ event: String, _ function: String) {
                statements.append(trigger(kind + word, event, kind + function, on: name))
            }
            add("update", scoped.ancestorBody(ancestor, number: place, isUpdate: true))
            fire(
                "update",
                """
                AFTER UPDATE ON \(name) REFERENCING OLD TABLE AS moorage_old \
                NEW TABLE AS moorage_new FOR EACH STATEMENT
                """, "update")
            add("wrote", scoped.ancestorBody(ancestor, number: place, isUpdate: false))
            for (word, rows) in [("insert", "NEW"), ("delete", "OLD")] {
                fire(
                    word,
                    """
                    AFTER \(word.uppercased()) ON \(name) \
                    REFERENCING \(rows) TABLE AS moorage_rows FOR EACH STATEMENT
                    """, "wrote")
            }
            guard ancestor.isMembers else { continue }
            add("lock", scoped.memberLockBody(ancestor), returning: "coalesce(NEW, OLD)")
            let columns = (ancestor.columns + ancestor.deciding).map(SQLText.name)
                .joined(separator: ", ")
            fire(
                "lock",
                "BEFORE INSERT OR DELETE OR UPDATE OF \(columns) ON \(name) FOR EACH ROW", "lock")
            add("truncate", scoped.membersGoneBody)
            fire("truncate", "AFTER TRUNCATE ON \(name) FOR EACH STATEMENT", "truncate")
        }
        let forget =
            "DELETE FROM \(ScopedTrackingSQL.unresolvedMoveTable(shape.schema)) WHERE number = \(table.number);"
        statements.append(
            """
            CREATE OR REPLACE FUNCTION \(Self.resolveFunction(table.number, in: shape.schema))() RETURNS void
            LANGUAGE plpgsql SECURITY DEFINER SET search_path TO \(shape.schema.functionPath)
            SET enable_seqscan TO off SET jit TO off
            SET \(Self.plainLiterals)
            \(Self.plainTexts.map { "SET \($0)" }.joined(separator: " ")) AS $moorage$
            DECLARE notes bigint[];
            BEGIN
              \(guarded(try scoped.resolveBody(types: types), else: forget))
            END $moorage$;
            REVOKE ALL ON FUNCTION \(Self.resolveFunction(table.number, in: shape.schema))() FROM PUBLIC
            """)
        return statements
    }
}
