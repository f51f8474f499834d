import MoorageCore
package import MoorageHub

/// Answers requests for changes.
extension RESTService {
    func changes(
        _ request: RESTRequest, for principal: Principal?
    ) async throws -> RESTResponse {
        _ = try request.answerType(among: [.json])
        let wanted = try ChangeParameters(request, readsLastID: false)
        let page = try await hub.changes(for: principal, wanted.changes)
        return .json {
            $0.object {
                $0.name("changes")
                $0.array { list in
                    var form = ChangeForm()
                    for change in page.changes { form.write(change, to: &list) }
                }
                $0.name("next")
                $0.string(page.next)
                $0.name("more")
                $0.bool(page.hasMore)
            }
        }
    }

    /// Whether a request asks for events. ``events(_:for:life:)`` answers it then, and not
    /// ``respond(to:route:for:reserve:)``.
    ///
    /// - Throws: ``RESTProblem`` where `Accept` takes no form of the answer.
    package func wantsEvents(
        _ request: RESTRequest, _ route: Route
    ) throws(RESTProblem) -> Bool {
        guard case .changes = route else { return false }
        let offers: [MediaType] = hub.offersChangeStreams ? [.json, .events] : [.json]
        return try request.answerType(among: offers) == .events
    }

    /// Begins a stream of events. Its first page has the time of a request.
    ///
    /// - Parameters:
    ///   - principal: The user, whom the caller has signed in; `nil` for a program without a user.
    ///   - life: How long the credential is good; `nil` for one that has no end.
    /// - Throws: ``RESTProblem`` for what is wrong with the request; `HubError` where the hub itself
    ///   fails.
    package func events(
        _ request: RESTRequest, for principal: Principal?, life: Duration?
    ) async throws -> EventStream {
        do {
            var wanted = try ChangeParameters(request, readsLastID: true).changes
            wanted.maximumBytes = EventStream.pageBytes
            return EventStream(
                try await timeLimit.run(orThrow: .tooSlow(.changes)) { [hub, wanted] in
                    try await hub.followChanges(for: principal, wanted, life: life)
                })
        } catch {
            throw RESTProblem(refusal: error) ?? error
        }
    }
}
