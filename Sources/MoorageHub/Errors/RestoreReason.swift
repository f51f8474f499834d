/// Why something has to be done before replicas come back to a restored database: full sentences.
enum RestoreReason {
    static func suspended(_ tables: [String]) -> String {
        let names = tables.prefix(5).joined(separator: ", ")
        let more = tables.count > 5 ? " and \(tables.count - 5) more" : ""
        return """
            No device syncs \(names)\(more) before the tables are attached again. Changes of them \
            wait on the devices.
            """
    }

    static let looksTheSame = """
        The database looks the same as when replicas last came. If it was restored to an earlier \
        state, they have to offer again what it lost. Skip this step only if nothing was lost.
        """
}
