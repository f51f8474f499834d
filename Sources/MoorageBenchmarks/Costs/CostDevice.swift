import Foundation
import Moorage
import MoorageCore
import MoorageSupport
import MoorageWire

#if Server
    /// A device that writes its requests by hand. It has a name and a cursor, but no database.
    actor CostDevice {
        private let hub: HTTPHubConnection
        private let tables: [TableColumns]
        private let replica = UUID().uuidString.lowercased()
        private let schema: SchemaAnswer
        private(set) var cursor = SyncCursor.start
        private var answered: Int64 = 0
        /// How often the device edited each row's note, by the row's number.
        private var edits: [Int: Int] = [:]
        private var rows = 0
        private var isCaughtUp = false

        /// Makes a device and pulls every row that its user may see.
        init(_ hub: HTTPHubConnection, of shape: CostShape) async throws {
            self.hub = hub
            schema = try await hub.schema()
            tables = (0..<shape.tables).map {
                TableColumns(name: CostShape.name($0), columns: CostShape.columns)
            }
            try await catchUp()
        }

        func catchUp() async throws {
            repeat { try await exchange(nil, advances: true) } while !isCaughtUp
        }

        /// Reads the changes since its cursor and leaves the cursor where it is. A second call gets
        /// the same rows.
        ///
        /// - Returns: How many rows came.
        func peek() async throws -> Int {
            try await exchange(nil, advances: false)
            return rows
        }

        /// Edits the rows with these numbers, which are its user's, and pushes the edits in one
        /// batch.
        func push(_ numbers: [Int]) async throws {
            let now = Self.now()
            let note = CostShape.columns.firstIndex(of: "note") ?? 0
            let changes = numbers.map { number in
                let edit = edits[number, default: 0]
                edits[number] = edit + 1
                return Change(
                    table: CostShape.name(0), key: RowKey([.text(CostShape.key(number))]),
                    operation: .update([
                        ColumnEdit(
                            column: note, old: .text(Self.note(number, edit)),
                            new: .text(Self.note(number, edit + 1)))
                    ]), editedAt: now)
            }
            let batch = Batch(
                number: answered + 1, nonce: UUID().uuidString.lowercased(), preparedAt: now,
                tables: [tables[0]], changes: changes)
            try await exchange(batch, advances: true)
            guard answered == batch.number else {
                throw BenchmarkFailure("The hub did not take the batch.")
            }
        }

        /// The request that would open a live stream, under another name.
        func opening() -> ExchangeRequest {
            request(nil, replica: UUID().uuidString.lowercased()).live
        }

        // MARK: Exchanges

        private func exchange(_ batch: Batch?, advances: Bool) async throws {
            rows = 0
            try await hub.exchange(request(batch, replica: replica)) {
                try await self.receive($0, advances: advances)
            }
        }

        private func request(_ batch: Batch?, replica: String) -> ExchangeRequest {
            ExchangeRequest(
                replica: replica, hub: schema.hub, sentAt: Self.now(), tables: tables,
                cursor: cursor, schemaVersion: schema.schema.version,
                // The hub knows no batch of another name.
                answered: replica == self.replica ? answered : 0, batch: batch,
                limits: PageLimits())
        }

        private func receive(_ frame: Frame, advances: Bool) throws {
            switch frame {
            case .page(let page):
                rows += page.tables.reduce(0) { $0 + $1.rows.count }
                isCaughtUp = page.isCaughtUp
                if advances { cursor = page.cursor }
            case .outcomes(let outcomes):
                guard outcomes.status == .applied,
                    outcomes.outcomes.allSatisfy({ $0.kind == .applied })
                else { return }
                answered = outcomes.number
            case .error(let error): throw error
            case .welcome, .alive, .end: break
            }
        }

        private static func note(_ number: Int, _ edit: Int) -> String {
            edit == 0 ? CostShape.note(number) : "edit \(edit) of row \(number)"
        }

        private static func now() -> DeviceTime { DeviceTime(.now) }
    }
#endif
