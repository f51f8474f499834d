#if Server
    import MoorageCore
    import MoorageWire

    /// A hub that does what the test says.
    struct ScriptedHub: HubConnection {
        typealias Receive = @Sendable (Frame) async throws -> Void

        var onExchange: @Sendable (ExchangeRequest, Receive) async throws -> Void = {
            for frame in [Sample.welcome, Sample.page(caughtUp: true), .end(End(hasMore: false))] {
                try await $1(frame)
            }
        }
        var onSchema: @Sendable () async throws -> SchemaAnswer = {
            SchemaAnswer(hub: "h", schema: SchemaDescription(tables: []), suspended: [])
        }
        var onCompare: @Sendable (CompareRequest) async throws -> CompareAnswer = { _ in
            CompareAnswer(rows: [], next: nil)
        }

        /// A thousand pages of a megabyte.
        ///
        /// - Parameters:
        ///   - asked: Counts those that were taken.
        ///   - ended: Opened when the server takes no more.
        static func endless(_ asked: Counter, _ ended: Gate) -> ScriptedHub {
            let text = String(repeating: "x", count: 1_000_000)
            return ScriptedHub(onExchange: { _, receive in
                do {
                    for _ in 0..<1_000 {
                        try await receive(Sample.page(caughtUp: false, text: text))
                        await asked.add()
                    }
                } catch {
                    await ended.open()
                    throw error
                }
            })
        }

        func exchange(
            _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
        ) async throws {
            try await withoutActuallyEscaping(receive) { try await onExchange(request, $0) }
        }

        func schema() async throws -> SchemaAnswer { try await onSchema() }

        func compare(_ request: CompareRequest) async throws -> CompareAnswer {
            try await onCompare(request)
        }
    }

    enum Sample {
        static let secret = "a secret of more than sixteen bytes".replacing(" ", with: "-")
        static let replica = "0f0e0d0c-0b0a-4908-8706-050403020100"

        static let request = ExchangeRequest(
            replica: replica, hub: nil, sentAt: 0, tables: [], cursor: .start, schemaVersion: nil,
            batch: nil, limits: PageLimits())

        static let compare = CompareRequest(
            replica: replica, table: TableColumns(name: "orders", columns: ["id"]), after: nil,
            maximumRows: 10, cursor: .start, withValues: false)

        static let welcome = Frame.welcome(
            Welcome(
                hub: "h", epoch: Epoch("e"), time: 1, schemaVersion: "s", schema: nil,
                suspended: [],
                limits: HubLimits()))

        static func page(caughtUp: Bool, text: String = "x") -> Frame {
            .page(
                Page(
                    since: .start, cursor: SyncCursor(epoch: Epoch("e")), isCaughtUp: caughtUp,
                    tables: [
                        TableRows(
                            table: "orders", columns: ["id", "note"],
                            rows: [[.integer(1), .text(text)]])
                    ], removals: []))
        }
    }

    /// Something a test waits for, or lets others wait for.
    actor Gate {
        private var isOpen = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func open() {
            isOpen = true
            for continuation in waiting { continuation.resume() }
            waiting = []
        }

        func wait() async {
            guard !isOpen else { return }
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    actor Counter {
        private(set) var count = 0
        func add() { count += 1 }
    }
#endif
