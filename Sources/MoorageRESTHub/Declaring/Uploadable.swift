public import GRDB

/// A record that is part of another one's JSON, or a model of its own.
public typealias RESTRecord = Codable & FetchableRecord & EncodableRecord & TableRecord
    & SendableMetatype

/// A record whose rows a REST API has, too.
///
/// ```swift
/// extension User: Uploadable { static let path = "users" }
/// ```
///
/// The JSON of a row is what `Codable` makes of the record. The row of the app's file is the same
/// record in GRDB. Members that the record does not know stay at the server as they are. Columns
/// that it does not know stay in the file.
public protocol Uploadable: RESTRecord {
    /// The path of the collection below the API's address, such as `users`. A row is at
    /// `users/{id}`. `RESTHub` reads it once, when it is made.
    static var path: String { get }
    /// The member of the JSON that has the row's id: `id`, unless the type says otherwise. In the
    /// table it is the primary key, which is one column.
    static var id: String { get }
    /// How the API works, and what happens in a conflict. `RESTHub` reads it once, when it is made.
    static var rest: RESTSettings { get }
}

extension Uploadable {
    /// `id`.
    public static var id: String { "id" }
    /// Settings with their defaults.
    public static var rest: RESTSettings { RESTSettings() }
}
