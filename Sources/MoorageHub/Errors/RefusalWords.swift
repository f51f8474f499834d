/// What the connectors say of a change that the database refuses. The words have no final stop,
/// because the names in the database's error follow them.
package enum RefusalWords {
    package static let check = "A check forbids the row"
    package static let unique = "Another row already has these values"
    package static let foreignKey =
        "A row that this one refers to does not exist, or other rows refer to this one"
    package static let notNull = "A value is required"
    package static let misfit = "A value does not fit its column"
    package static let triggerRefused = "A trigger of the owner's said no"
    package static let triggerFailed = "A trigger of the owner's failed"
}
