/// What the connectors say of a change that the database refuses. The words have no final stop,
/// because the names in the database's error follow them.
public enum RefusalWords {
    public static let check = "A check forbids the row"
    public static let unique = "Another row already has these values"
    public static let foreignKey =
        "A row that this one refers to does not exist, or other rows refer to this one"
    public static let notNull = "A value is required"
    public static let misfit = "A value does not fit its column"
    public static let triggerRefused = "A trigger of the owner's said no"
    public static let triggerFailed = "A trigger of the owner's failed"
}
