/// Records that are an array in the JSON of another one, such as the lines of an order.
///
/// They have a table of their own, with a foreign key to their parent's. A change of theirs sends
/// the parent with all its children.
public struct RESTChildren: Sendable {
    let coder: RecordCoder
    let member: String
    let parentID: String?
    let id: String
    let ids: RESTSettings.IDs
    let conflicts: RESTConflictRule

    /// - Parameters:
    ///   - child: The record of a child.
    ///   - member: The member of the parent's JSON with the array.
    ///   - parentID: The member of a child with the parent's id. It is the name of the foreign
    ///     key's column, unless the record renames it. A body leaves it out, and an answer need not
    ///     have it.
    ///   - id: The member of a child with its own id.
    ///   - ids: Who makes the ids of new children. With `server`, the answer to a request has the
    ///     children in the order of the request.
    ///   - conflicts: What happens when both sides changed a child.
    public static func embedded<Child: RESTRecord>(
        _ child: Child.Type, as member: String, by parentID: String? = nil, id: String = "id",
        ids: RESTSettings.IDs = .device, conflicts: RESTConflictRule = .byColumn()
    ) -> RESTChildren {
        RESTChildren(
            coder: RecordCoder(child), member: member, parentID: parentID, id: id, ids: ids,
            conflicts: conflicts)
    }
}
