public import Foundation
public import GRDB
public import Moorage
import MoorageCore
import MoorageWire

/// A REST API that exists, in the place of a hub: a replica sends its changes as requests, and reads
/// the API's lists.
///
/// ```swift
/// extension User: Uploadable { static let path = "users" }
///
/// let hub = RESTHub(URL(string: "https://api.example.com")!, [User.self], in: database)
/// let replica = try await hub.replica(migrator: migrator)
/// await replica.start()
/// ```
///
/// The app writes to its tables as before. Changes are sent soon after their commit, also those of
/// the time without a network. What the server refuses, and what lost a conflict, is in the
/// replica's lists. The app's file has what the device must remember of the server.
///
/// A file needs one `RESTHub` with all models. An API at another address needs another file.
public struct RESTHub: Sendable {
    /// Where a replica of this file finds the API.
    package let connection: ReplicaHub
    let models: [DeclaredModel]
    private let database: any DatabaseWriter

    /// An API that people do not sign in to. The call connects to nothing yet.
    ///
    /// If people sign in, also by a header of their own, use the initializer with `credentials` and
    /// `user`.
    ///
    /// - Parameters:
    ///   - url: The address, such as `https://api.example.com/v1`. Paths of models are below it.
    ///     Beyond this machine it must be `https`, or the replica throws `configuration` and sends
    ///     nothing.
    ///   - models: The records that the API has. Each table belongs to one of them. Their `path`,
    ///     `id` and `rest` are read now, and not again.
    ///   - database: The app's database, which is the replica's, too. Make another hub for another
    ///     file, such as an archive.
    ///   - headers: Headers of each request, such as `["X-API-Key": "…"]`. `Accept` and
    ///     `Content-Type` replace `application/json`, and `Authorization` goes without credentials.
    ///   - name: What the file calls the API: the host of its address, unless the app says so. A
    ///     file belongs to one API. If the API moves to another host, say the former one here.
    ///   - reason: Finds the text for people in an answer that refuses a row; `nil` for none. By
    ///     default the usual forms are read, such as a member `detail`, `message` or `errors`, or
    ///     plain text. It must be quick.
    ///   - limits: How much the device takes of the server.
    ///   - transport: What carries the requests. One of the app's own may change a request before
    ///     it is sent, or answer it in a test.
    ///   - allowsPlainHTTP: Lets rows go unencrypted over a network. Set it only for development,
    ///     on a network that is private.
    public init(
        _ url: URL, _ models: [any Uploadable.Type], in database: any DatabaseWriter,
        headers: [String: String] = [:], name: String? = nil,
        reason: (@Sendable (_ status: Int, _ body: Data) -> String?)? = nil,
        limits: RESTLimits = RESTLimits(), transport: any HTTPTransport = URLSessionTransport(),
        allowsPlainHTTP: Bool = false
    ) {
        self.init(
            url, models, in: database, credentials: nil, user: nil, headers: headers, name: name,
            reason: reason, limits: limits, transport: transport,
            allowsPlainHTTP: allowsPlainHTTP)
    }

    /// An API that people, or the app, sign in to. The call connects to nothing yet.
    ///
    /// A hub says whose rows it sends. A REST API does not, so the app does. Without `user`, what
    /// one person did not send goes up with the next person's token.
    ///
    /// - Parameters:
    ///   - url: The address, such as `https://api.example.com/v1`. Paths of models are below it.
    ///     Beyond this machine it must be `https`, or the replica throws `configuration` and sends
    ///     nothing.
    ///   - models: The records that the API has. Each table belongs to one of them. Their `path`,
    ///     `id` and `rest` are read now, and not again.
    ///   - database: The app's database, which is the replica's, too. Make another hub for another
    ///     file, such as an archive.
    ///   - credentials: What the API gets as `Authorization: Bearer …`; `nil` where a header signs
    ///     in. After a 401 the closure of `.token` is asked once more.
    ///   - user: Who signs in: an id that never changes. The replica refuses to sync the file for
    ///     anybody else (`differentUser`). The file has a digest of it. It is `nil` only if the
    ///     credentials are the app's, and the same for everybody.
    ///   - scheme: The word before the credentials, such as `Token` or `Basic`; empty for none.
    ///   - headers: Headers of each request, such as `["X-API-Key": "…"]`. `Accept` and
    ///     `Content-Type` replace `application/json`, and `Authorization` goes without credentials.
    ///   - name: What the file calls the API: the host of its address, unless the app says so. A
    ///     file belongs to one API. If the API moves to another host, say the former one here.
    ///   - reason: Finds the text for people in an answer that refuses a row; `nil` for none. By
    ///     default the usual forms are read, such as a member `detail`, `message` or `errors`, or
    ///     plain text. It must be quick.
    ///   - limits: How much the device takes of the server.
    ///   - transport: What carries the requests. One of the app's own may change a request before
    ///     it is sent, or answer it in a test.
    ///   - allowsPlainHTTP: Lets credentials and rows go unencrypted over a network. Set it only
    ///     for development, on a network that is private.
    public init(
        _ url: URL, _ models: [any Uploadable.Type], in database: any DatabaseWriter,
        credentials: HubCredentials?, user: String?, scheme: String = "Bearer",
        headers: [String: String] = [:], name: String? = nil,
        reason: (@Sendable (_ status: Int, _ body: Data) -> String?)? = nil,
        limits: RESTLimits = RESTLimits(), transport: any HTTPTransport = URLSessionTransport(),
        allowsPlainHTTP: Bool = false
    ) {
        let declared = models.map { DeclaredModel($0) }
        let http = PlainHTTP(
            url: url, credentials: credentials, scheme: scheme, transport: transport,
            allowsPlainHTTP: allowsPlainHTTP, maximumAnswerBytes: limits.maximumAnswerBytes)
        let headers = headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        connection = .direct(
            RESTConnection(
                models: declared, store: RESTStore(database: database),
                client: RESTClient(http: http, headers: headers, reasonReading: reason),
                limits: limits, user: user,
                name: name ?? url.host?.lowercased() ?? "",
                fault: DeclarationCheck(
                    models: declared, headers: headers,
                    scheme: credentials == nil ? nil : scheme
                ).fault))
        self.models = declared
        self.database = database
    }

    /// The replica of the models' tables. Call it at each launch.
    ///
    /// - Parameters:
    ///   - migrator: The app's migrations, which make the tables. They run first, as
    ///     `Replica.migrate` runs them: a table that a migration makes again keeps its sync, and
    ///     `eraseDatabaseOnSchemaChange` does not erase unsent changes. `nil` if the file has the
    ///     tables already.
    ///   - firstContact: What becomes of rows that are there when a table is synced for the first
    ///     time. With `upload` each is sent as a new one. With `replace` those go that the server
    ///     does not have.
    ///   - tables: What differs for single tables, such as
    ///     `.table(Draft.self, firstContact: .upload)`. `firstContact` does not
    ///     count for such a table.
    ///   - options: Intervals and delays.
    /// - Throws: As `Replica.open`. `ReplicaError` `tableNotEmpty` if a table has rows and nothing
    ///   says what becomes of them, and `configuration` for an entry of `tables` that belongs to
    ///   no model.
    public func replica(
        migrator: DatabaseMigrator? = nil, firstContact: ReplicaTable.FirstContact = .refuse,
        tables: [ReplicaTable] = [], options: ReplicaOptions = ReplicaOptions()
    ) async throws -> Replica {
        let names = models.flatMap(\.tables)
        for table in tables where !names.contains(where: table.name.hasSameBytes(as:)) {
            let error = HubError.tableOfNoModel(table.name)
            throw ReplicaError(.hub(error.code), error.message, recovery: .choose, cause: error)
        }
        let listed = names.map { name in
            tables.last { $0.name.hasSameBytes(as: name) }
                ?? .table(name, firstContact: firstContact)
        }
        guard let migrator else {
            return try await Replica(
                database: database, hub: connection, tables: listed, options: options)
        }
        return try await Replica.open(
            database: database, hub: connection, tables: listed, migrator: migrator,
            options: options)
    }
}
