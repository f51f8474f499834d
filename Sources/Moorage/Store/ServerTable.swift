/// The tables in which `RESTHub` remembers what its server has. They are in the app's file, so that
/// a copy or a backup of the file has both. The first connection makes them.
package enum ServerTable {
    /// The hub's id, and a count of pages.
    package static let state = "_moorage_rest_state"
    /// How far each collection has been read.
    package static let feed = "_moorage_rest_feed"
    /// The rows that the server had when they were last read, without their values.
    package static let row = "_moorage_rest_row"
    /// Requests that were sent, until the replica has their outcomes.
    package static let request = "_moorage_rest_request"
    /// Rows that refer to new ones that the server refused.
    package static let unmade = "_moorage_rest_unmade"

    /// What a file loses when it is emptied.
    static let emptied = [feed, row, request, unmade]
}
