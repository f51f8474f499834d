/// What the connectors say of a change that the database refuses. The words have no final stop,
/// because the names in the database's error follow them.
public enum RefusalWords {
    /// For the code `check`: a check constraint.
    public static let check = "A check forbids the row"
    /// For the code `unique`: a primary key, or another unique key.
    public static let unique = "Another row already has these values"
    /// For the code `foreignKey`, on either side of the foreign key.
    public static let foreignKey =
        "A row that this one refers to does not exist, or other rows refer to this one"
    /// For the code `notNull`: a NULL, or no value, in a column that needs one.
    public static let notNull = "A value is required"
    /// For the code `type`: a value that is too long, out of range or not of the type.
    public static let misfit = "A value does not fit its column"
    /// For the code `trigger`: the owner's trigger raised an error on purpose.
    public static let triggerRefused = "A trigger of the owner's said no"
    /// For the code `trigger`: a statement of the owner's trigger failed.
    public static let triggerFailed = "A trigger of the owner's failed"
}
