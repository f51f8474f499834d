import MoorageCore

/// Names of constraints and indexes, made from those of tables and columns. No two of them are
/// equal, in whichever case a database compares them.
struct ObjectNames {
    private var taken: Set<String>

    /// PostgreSQL has names of 63 bytes, and MySQL of 64 characters. A few bytes are for a number.
    private static let maximumBytes = 58

    /// - Parameter tables: Names that the database has already.
    init(tables: [String]) { taken = Set(tables.map { $0.lowercased() }) }

    /// - Parameters:
    ///   - parts: The name of the table, and those of columns.
    ///   - ending: Says what the object is.
    mutating func unique(_ parts: [String], _ ending: String) -> String {
        let base = Self.fitting(parts, ending)
        var (name, number) = (base, 2)
        while !taken.insert(name.lowercased()).inserted {
            name = "\(base)_\(number)"
            number += 1
        }
        return name
    }

    /// A name that is too long loses its end, and gets a fingerprint of the whole instead.
    private static func fitting(_ parts: [String], _ ending: String) -> String {
        let whole = (parts + [ending]).joined(separator: "_")
        if whole.utf8.count <= maximumBytes { return whole }
        var fingerprint = Fingerprint()
        for part in parts { fingerprint.add(part.utf8) }
        let end = "_\(fingerprint.hex.prefix(8))_\(ending)"
        var start = ""
        for scalar in whole.unicodeScalars {
            let next = String(scalar)
            if start.utf8.count + next.utf8.count + end.utf8.count > maximumBytes { break }
            start += next
        }
        return start + end
    }
}
