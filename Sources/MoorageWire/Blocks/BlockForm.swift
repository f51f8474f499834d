/// How a column's values are written (docs/reference/protocol.md, 11.2). The writer takes the
/// shortest form that fits.
enum BlockForm: UInt8 {
    /// Every value is NULL; nothing follows.
    case nulls = 0
    /// Values of more than one class: a byte for each value's class, then what each needs.
    case mixed = 1
    case integers = 2
    case reals = 3
    case texts = 4
    case blobs = 5
    /// Texts that are UUIDs in lower case, as 16 bytes each.
    case uuids = 6
    /// Texts of one length with digits in the same places: times, dates, numbers of fixed width.
    case digits = 7
    /// Texts that are decimals with the same number of places: as integers.
    case decimals = 8
    /// The values of one of the key's columns.
    case keyPart = 9
    /// Texts, each as what it keeps of the text before the edit, and what is new.
    case edits = 10
    /// Integers, each as its difference to the value before the edit.
    case differences = 11
    /// Reals that are decimals with the same number of places: as integers.
    case decimalReals = 12

    /// Added to the form where some values are NULL. A bit for each value then comes first.
    static let someNulls: UInt8 = 0x80
}
