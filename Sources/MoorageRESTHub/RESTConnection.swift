import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageSupport
import MoorageWire

/// A REST API in the place of a hub: it answers the replica's requests by requests to the API.
struct RESTConnection: HubConnection {
    let models: [DeclaredModel]
    let store: RESTStore
    let client: RESTClient
    let limits: RESTLimits
    let user: String?
    /// What the file calls the API.
    let name: String
    let times = ReadTimes()
    /// Why nothing may be sent.
    let fault: HubError?

    func checkAddress() throws(HubError) {
        if let fault { throw fault }
        try client.http.checkAddress()
    }

    var bytesReceived: Int64? { client.http.bytesReceived }

    var address: String? { client.http.address }

    // MARK: The schema

    /// What the file says at the beginning of a call.
    private struct Beginning: Sendable {
        let hub: String
        let schema: RESTSchema
        let version: Int64
    }

    private func begin(for request: ExchangeRequest? = nil) async throws -> Beginning {
        try checkAddress()
        let replica = request?.replica
        return try await store.database.write { [models, name] db in
            if let replica, try ReplicaFile(tables: []).replica(db) != replica {
                throw HubError.restOtherFile
            }
            try RESTStore.makeTables(db)
            let records = RESTRecords(db: db)
            try records.check(api: name)
            let hub: String
            if let known = try records.state("hub") {
                hub = known
            } else {
                hub = UUID().uuidString.lowercased()
                try records.setState("hub", hub)
            }
            let schema = try RESTSchema(models, in: db)
            if let request {
                try records.forgetAnswered(request)
                try records.readAgain(for: request, schema)
            }
            return Beginning(hub: hub, schema: schema, version: try records.version())
        }
    }

    func schema() async throws -> SchemaAnswer {
        let beginning = try await begin()
        return SchemaAnswer(
            hub: beginning.hub, schema: beginning.schema.description, suspended: [])
    }

    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        let beginning = try await begin()
        return try await TableReading(
            schema: beginning.schema, client: client, store: store, limits: limits
        ).answer(request)
    }

    // MARK: An exchange

    func exchange(
        _ request: consuming ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        try await exchange(request, counting: nil, receive: receive)
    }

    func exchange(
        _ request: consuming ExchangeRequest, counting bytes: ByteCount?,
        receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        let request = request
        let userDigest = user.map(Self.digest)
        if let known = request.user, known != userDigest { throw HubError.restDifferentUser }
        let beginning = try await begin(for: request)
        if let hub = request.hub, hub != beginning.hub {
            throw HubError.restDifferentHub(hub)
        }
        var counted = client
        counted.counting = bytes
        try await withoutActuallyEscaping(receive) { receive in
            try await answer(request, beginning, counted, userDigest, receive)
        }
    }

    private func answer(
        _ request: ExchangeRequest, _ beginning: Beginning, _ client: RESTClient,
        _ user: String?, _ receive: @escaping @Sendable (Frame) async throws -> Void
    ) async throws {
        let schema = beginning.schema
        try await receive(.welcome(welcome(request, beginning, user)))
        let sender = PageSender(
            request, schema, store, version: beginning.version, receive: receive)
        var fresh: Set<RowName> = []
        var wanted: Set<String> = []
        if let batch = request.batch {
            let context = PushContext(
                schema: schema, client: client, store: store, replica: request.replica,
                batch: batch, limits: limits)
            guard let outcomes = try await BatchPush(context: context).run() else {
                try await receive(
                    .outcomes(
                        Outcomes(number: batch.number, status: .notAccepted, outcomes: [])))
                return try await receive(.end(End(hasMore: true)))
            }
            try await receive(
                .outcomes(
                    Outcomes(number: batch.number, status: .applied, outcomes: outcomes)))
            try await sender.send(context.content, isAnswer: true)
            fresh = context.content.fresh
            wanted = Set(context.content.forgotten.map(\.table))
        }
        try await CollectionsFetch(
            schema: schema, client: client, store: store, sender: sender, limits: limits,
            times: times, isIncomplete: sender.isIncomplete,
            fresh: fresh, wanted: wanted
        ).run()
        try await sender.send(PageContent(schema), isCaughtUp: true)
        try await receive(.end(End(hasMore: false)))
    }

    private func welcome(
        _ request: ExchangeRequest, _ beginning: Beginning, _ user: String?
    ) -> Welcome {
        let schema = beginning.schema.description
        var hubLimits = HubLimits()
        hubLimits.maximumBatchRows = max(1, limits.maximumChanges)
        return Welcome(
            hub: beginning.hub, epoch: PageSender.epoch, time: HubTime(Date()),
            schemaVersion: schema.version,
            schema: request.schemaVersion == schema.version ? nil : schema, suspended: [],
            limits: hubLimits, user: user)
    }

    /// The file has no user's name.
    private static func digest(_ user: String) -> String {
        var digest = Fingerprint()
        digest.add("rest".utf8)
        digest.add(user.utf8)
        return digest.hex
    }
}

extension RESTRecords {
    /// Binds the file to one API: rows, requests and progress are that one's.
    ///
    /// - Throws: ``HubError`` `differentHub` for a file with rows of another one.
    fileprivate func check(api name: String) throws {
        let known = try state("api")
        if known == name { return }
        if let known, try hasTraces() { throw HubError.restOtherAPI(known, name) }
        try setState("api", name)
    }

    /// Lets collections be read from nothing whose tables the replica asks for from nothing.
    func readAgain(for request: ExchangeRequest, _ schema: RESTSchema) throws {
        let signatures = PageSender.signatures(of: request, schema)
        let plan = PageSender.plan(after: request.cursor, signatures)
        // A scan that is under way goes on where it stopped.
        guard plan.scan == nil else { return }
        for model in schema.models where model.settings.fetching.isReceived {
            let tables = [model.table] + model.children.map(\.table)
            let isNew = tables.contains { table in
                let name = Identifier(table.name)
                guard signatures[name] != nil else { return false }
                if case .fromNothing = plan.reading(of: name, in: .everything) { return true }
                return false
            }
            if isNew { try readAgain(model.table.name) }
        }
    }
}
