package import MoorageHub

/// Answers plain HTTP about the rows of synced tables (docs/reference/rest.md). It knows nothing of
/// connections and of sign-in: a server does that, and asks ``route(method:path:)`` first.
package struct RESTService: Sendable {
    /// What a server must take as headers, with the longest address that REST answers.
    package static let headerBytes = 98_304

    let hub: any RowHub & ChangeHub
    let timeLimit: TimeLimit

    /// - Parameters:
    ///   - timeLimit: How long the database may work for one request.
    ///   - clock: Measures that.
    package init(
        hub: any RowHub & ChangeHub, timeLimit: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.hub = hub
        self.timeLimit = TimeLimit(timeLimit, clock)
    }

    /// Carries out a request, or answers why not.
    ///
    /// - Parameters:
    ///   - route: What ``route(method:path:)`` made of the request's method and path.
    ///   - principal: The user, whom the caller has signed in; `nil` for a program without a user.
    ///   - reserve: Called with about how many bytes of memory the body is going to use. What it
    ///     throws ends the request.
    /// - Throws: `HubError` where the hub itself fails, and what `reserve` throws. What is wrong with the request is in the
    ///   answer.
    package func respond(
        to request: RESTRequest, route: Route, for principal: Principal?,
        reserve: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) async throws -> RESTResponse {
        do {
            return try await timeLimit.run(orThrow: .tooSlow(route)) {
                try await answer(request, route, principal, reserve)
            }
        } catch {
            guard let problem = RESTProblem(refusal: error) else { throw error }
            return RESTResponse(problem)
        }
    }

    private func answer(
        _ request: RESTRequest, _ route: Route, _ principal: Principal?,
        _ reserve: @escaping @Sendable (Int) throws -> Void
    ) async throws -> RESTResponse {
        switch route {
        case .openAPI: return try await openAPI(request, for: principal)
        case .listTables: return try await listTables(request, for: principal)
        case .listRows(let table): return try await list(table, request, for: principal)
        case .read(let path): return try await read(path, request, for: principal)
        case .insert(let table):
            let memory = BodyMemory(reserve: reserve)
            return try await insert(into: table, request, memory, for: principal)
        case .replace(let path):
            let row = try row(request, BodyMemory(reserve: reserve), among: [.json])
            return try await write(.replace, path, row, request, for: principal)
        case .update(let path):
            let row = try row(request, BodyMemory(reserve: reserve), among: [.json, .mergePatch])
            return try await write(.update, path, row, request, for: principal)
        case .delete(let path):
            return try await write(.delete, path, .absent, request, for: principal)
        case .batch:
            let memory = BodyMemory(reserve: reserve)
            return try await batch(request, memory, for: principal)
        case .changes: return try await changes(request, for: principal)
        case .manifest:
            return try await manifest(request, BodyMemory(reserve: reserve), for: principal)
        case .synchronise:
            return try await synchronise(request, BodyMemory(reserve: reserve), for: principal)
        }
    }
}
