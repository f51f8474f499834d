/// Why this device cannot store a row of the hub, for the list of withheld rows.
enum WithheldHere {
    static let changesValue = "the local column would change its value"
    static let changesKey = "the local key column would change its value"
    static let anotherType = "a value of another type"
    static let localConstraint = "a local constraint"
}
