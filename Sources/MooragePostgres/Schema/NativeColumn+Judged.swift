extension NativeColumn {
    /// Only the server can tell whether a text is a value of the type.
    var isJudgedByServer: Bool {
        switch family {
        case .other, .json, .money, .numeric: true
        default: false
        }
    }

    /// The type's values are names of objects in the catalog: `regclass` and its like.
    var isObjectName: Bool {
        [24, 2202, 2203, 2204, 2205, 2206, 3734, 3769, 4089, 4096, 4191].contains(typeID)
    }
}
