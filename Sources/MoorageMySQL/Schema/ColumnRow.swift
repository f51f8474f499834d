import MoorageCore
import MoorageHub

/// A row of `information_schema.columns`, and what it says in portable terms
/// (docs/reference/types.md, MariaDB and MySQL).
struct ColumnRow {
    let table: String
    let name: String
    let defaultText: String?
    let isNullable: Bool
    let dataType: String
    let columnType: String
    let characterLength: Int?
    let octetLength: Int?
    let precision: Int?
    let characterSet: String?
    let collation: String?
    let extra: String
    /// A check of the owner's, or of the type, says that the text is JSON.
    let isJSON: Bool
    /// Part of a primary, unique or foreign key: its values tell rows apart.
    var isKey = false

    /// Why a table with such a column cannot be synced; `nil` when it can.
    var problem: TableProblem? {
        let spatial = [
            "geometry", "point", "linestring", "polygon", "multipoint", "multilinestring",
            "multipolygon", "geometrycollection", "geomcollection", "vector",
        ]
        guard spatial.contains(dataType) else { return nil }
        return TableProblem.spatialColumn(name, of: table, type: dataType)
    }

    func column(_ kind: ServerKind) -> NativeColumn {
        let (family, type) = self.family
        let extra = extra.lowercased()
        let isGenerated =
            extra.contains("virtual generated") || extra.contains("stored generated")
            || extra.contains("persistent")
        return NativeColumn(
            name: name, type: type, family: family, dataType: dataType, columnType: columnType,
            characterSet: characterSet, collation: collation, isNullable: isNullable,
            isGenerated: isGenerated, isAutomatic: extra.contains("auto_increment"),
            changesByItself: extra.contains("on update"),
            maximumLength: characterLength, maximumBytes: octetLength,
            defaultValue: isGenerated
                ? .none : extra.contains("auto_increment") ? .central : defaultValue(type, kind))
    }

    /// MariaDB and MySQL call the type `boolean`, and accept other numbers in it.
    var mayBeTruth: Bool { columnType.hasPrefix("tinyint(1)") }

    private var family: (NativeColumn.Family, ColumnType) {
        let isUnsigned = columnType.contains("unsigned")
        switch dataType {
        // As booleans, 1 and 2 are equal. In a key they would become one row.
        case "tinyint" where mayBeTruth && !isKey: return (.integer, .boolean)
        case "tinyint", "smallint", "mediumint", "int", "bigint":
            return (isUnsigned ? .unsigned : .integer, .integer)
        case "bit": return (.bits, columnType == "bit(1)" ? .boolean : .integer)
        case "year": return (.year, .integer)
        case "float", "double": return (.real, .real)
        case "decimal": return (.numeric, .decimal)
        case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob":
            return (.blob, .blob)
        case "date": return (.date, .date)
        case "time": return (.time, .time(fractionDigits: precision ?? 0))
        case "datetime": return (.timestamp, .timestamp(fractionDigits: precision ?? 0))
        case "timestamp": return (.instant, .instant(fractionDigits: precision ?? 0))
        case "json": return (.json, .json)
        case "uuid": return (.other, .uuid)
        case "enum", "set": return (.enumeration, .text)
        default: break
        }
        if characterSet != nil { return isJSON ? (.json, .json) : (.text, .text) }
        return (.other, .text)
    }

    private func defaultValue(_ type: ColumnType, _ kind: ServerKind) -> ColumnDefault {
        guard let text = defaultText else { return .none }
        if !kind.quotesDefaults {
            return extra.lowercased().contains("default_generated")
                ? .central : DefaultText.constant(text, type: type)
        }
        return DefaultText.parse(text, type: type)
    }
}
