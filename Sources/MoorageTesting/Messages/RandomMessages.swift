package import MoorageCore
package import MoorageWire

/// Messages of every shape, filled with hard values.
extension SeededGenerator {
    package mutating func text() -> String { one(of: hardTexts) + one(of: hardTexts) }
    package mutating func integer() -> Int64 {
        once(in: 2) ? one(of: hardIntegers) : Int64(below(1000))
    }
    package mutating func flag() -> Bool { once(in: 2) }
    package mutating func maybe<Element>(_ make: (inout SeededGenerator) -> Element) -> Element? {
        flag() ? make(&self) : nil
    }
    package mutating func list<Element>(
        upTo count: Int = 4, _ make: (inout SeededGenerator) -> Element
    ) -> [Element] {
        (0..<below(count + 1)).map { _ in make(&self) }
    }

    package mutating func value() -> Value {
        once(in: 20) ? .real(one(of: [.nan, .infinity, -.infinity])) : Value.random(using: &self)
    }
    package mutating func row(_ count: Int) -> [Value] { (0..<count).map { _ in value() } }
    package mutating func key() -> RowKey { RowKey(row(below(3) + 1)) }

    /// Rows as tables have them: most columns have values of one class, or NULL, that look alike.
    package mutating func rows(_ count: Int, columns: Int) -> [[Value]] {
        let samples = row(columns)
        let areAlike = !once(in: 4)
        return (0..<count).map { _ in
            samples.map { sample in
                if !areAlike { return value() }
                if once(in: 6) { return .null }
                switch sample {
                case .null: return .null
                case .integer(let number): return .integer(number &+ Int64(below(300)))
                case .real: return .real(Double(below(1000)) / 8)
                case .text(let text):
                    return .text(
                        one(of: [
                            text, text + "\(below(10))", "2026-11-\(10 + below(20))",
                            UUIDText.random(using: &self), "\(below(100)).\(10 + below(90))",
                        ]))
                case .blob(let bytes): return .blob(bytes + [UInt8(below(256))])
                }
            }
        }
    }
    package mutating func rowName() -> RowName { RowName(table: text(), key: key()) }

    /// Of several tables; two names differ by their bytes alone.
    package mutating func signatures() -> [Identifier: String] {
        var result: [Identifier: String] = [:]
        for name in ["t\u{1F41F}\"\\", "caf\u{E9}", "cafe\u{301}"].prefix(below(4)) {
            result[Identifier(name)] = text()
        }
        return result
    }

    package mutating func scopes() -> Set<Scope> { Set(list { Scope($0.text()) }) }

    package mutating func scan() -> Scan {
        Scan(
            upperBound: Checkpoint(text()), scopes: scopes(), tables: signatures(),
            position: maybe {
                ScanPosition(
                    table: $0.below(1000), scope: Scope($0.text()), version: $0.next(),
                    key: $0.key())
            })
    }

    package mutating func cursor() -> SyncCursor {
        SyncCursor(
            epoch: maybe { Epoch($0.text()) }, checkpoint: maybe { Checkpoint($0.text()) },
            complete: scopes(),
            partial: scopes(), tables: signatures(), scan: maybe { $0.scan() },
            ahead: Set(list { $0.rowName() }), signature: maybe { $0.signature() })
    }

    package mutating func signature() -> CursorSignature {
        CursorSignature(
            readAt: Checkpoint(text()),
            lost: Dictionary(
                uniqueKeysWithValues: scopes().sorted().map { ($0, Checkpoint(text())) }),
            code: text(), scanCode: maybe { $0.text() })
    }

    package mutating func tableColumns(_ index: Int) -> TableColumns {
        TableColumns(
            name: "\(index)" + text(), columns: (0..<(below(5) + 1)).map { "\($0)" + text() })
    }

    package mutating func operation(columns: Int) -> Change.Operation {
        // A batch with fills is never in blocks, so most updates have none.
        let hasFills = once(in: 6)
        return switch below(4) {
        case 0: .insert(row(columns))
        case 1:
            .update(
                (0..<columns).shuffled(using: &self).prefix(below(columns + 1)).map {
                    ColumnEdit(
                        column: $0, old: value(), new: value(), isFill: hasFills && flag())
                })
        case 2: .delete(before: row(columns))
        default: .refetch
        }
    }

    package mutating func batch() -> Batch {
        let tables = (0..<(below(3) + 1)).map { tableColumns($0) }
        let width = once(in: 8) ? nil : below(3) + 1
        return Batch(
            number: Int64.random(in: 1 ... .max, using: &self), nonce: "nonce-\(next())",
            preparedAt: DeviceTime(milliseconds: integer()), tables: tables,
            changes: list(upTo: 6) {
                let table = $0.one(of: tables)
                let width = min(width ?? $0.below(3) + 1, max(1, table.columns.count))
                return Change(
                    table: table.name, key: RowKey($0.rows(1, columns: width)[0]),
                    operation: $0.operation(columns: table.columns.count),
                    editedAt: DeviceTime(milliseconds: $0.integer()),
                    isAgain: $0.flag(), group: $0.maybe { $0.below(9) })
            })
    }

    package mutating func request() -> ExchangeRequest {
        let tables = (0..<below(4)).map { tableColumns($0) }
        var request = ExchangeRequest(
            replica: UUIDText.random(using: &self),
            formerly: maybe { UUIDText.random(using: &$0) }, user: maybe { $0.text() },
            hub: maybe { $0.text() }, sentAt: DeviceTime(milliseconds: integer()),
            tables: tables, cursor: cursor(), schemaVersion: maybe { $0.text() },
            batch: maybe { $0.batch() },
            keys: maybe { $0.list { KeysLeft(table: $0.text(), count: $0.below(.max)) } },
            limits: PageLimits(
                maximumRows: below(10_000), maximumBytes: below(.max), maximumPages: below(100)),
            isLive: flag())
        request.clientVersion = maybe { $0.text() }
        request.scopes = scopes().sorted().filter { !$0.name.isEmpty }.map { scope in
            RequestedScope(scope, priority: one(of: ScopePriority.allCases))
        }
        request.rightsVersion = maybe { $0.text() }
        request.report = maybe { $0.report() }
        return request
    }

    package mutating func report() -> DeviceReport {
        DeviceReport(
            name: maybe { $0.text() }, appVersion: maybe { $0.text() },
            libraryVersion: maybe { $0.text() }, platform: maybe { $0.text() },
            schemaVersion: maybe { $0.text() }, pendingCount: below(.max),
            refusedCount: below(.max), overruledCount: below(.max),
            oldestPendingAt: maybe { HubTime(milliseconds: $0.integer()) },
            suspendedTables: list { $0.text() }, fileSize: Int64(below(.max)),
            lastErrorCode: maybe { $0.text() }, clockOffset: maybe { $0.integer() })
    }

    package mutating func rights() -> RightsAnswer {
        RightsAnswer(
            version: text(),
            tables: list {
                TableRightsAnswer(
                    table: $0.text(), insert: $0.writableColumns(), update: $0.writableColumns(),
                    mayDelete: $0.flag(), mayMove: $0.flag())
            })
    }

    private mutating func writableColumns() -> WritableColumns? {
        maybe { random in random.flag() ? .all : .only(random.list { $0.text() }) }
    }

    package mutating func columnType() -> ColumnType {
        one(of: [
            .integer, .boolean, .real, .decimal, .text, .blob, .uuid, .date, .json,
            .time(fractionDigits: below(7)), .timestamp(fractionDigits: below(7)),
            .instant(fractionDigits: below(7)),
        ])
    }

    package mutating func suspended() -> [SuspendedTable] {
        list {
            SuspendedTable(
                name: $0.text(), reason: $0.text(),
                code: $0.one(of: [.tableSuspended, .clientTooOld, .init(rawValue: $0.text())]))
        }
    }

    package mutating func outcome() -> Outcome {
        let kind: Outcome.Kind = one(of: [
            .applied, .merged, .overruled,
            .refused(Refusal(code: .init(rawValue: text()), message: text())),
        ])
        func values() -> [StoredValue] {
            list { StoredValue(column: $0.below(200), value: $0.value()) }
        }
        let overruling = Overruling(
            rule: flag() ? text() : nil, theirs: flag() ? values() : nil,
            result: flag() ? values() : nil)
        return Outcome(kind: kind, stored: values(), overruling: flag() ? overruling : nil)
    }

    package mutating func outcomes() -> Outcomes {
        Outcomes(
            number: integer(), status: one(of: [.applied, .alreadyApplied, .forked, .notAccepted]),
            outcomes: list(upTo: 8) { $0.outcome() })
    }

    package mutating func error() -> HubError {
        HubError(
            one(of: [.unreachable, .malformed, .init(rawValue: text())]), text(),
            retryAfter: maybe { .seconds($0.below(86_400) + 1) })
    }

    package mutating func page() -> Page {
        Page(
            since: cursor(), cursor: cursor(), isCaughtUp: flag(),
            tables: list {
                let columns = (0..<$0.below(5)).map { "c\($0)" }
                return TableRows(
                    table: $0.text(), columns: columns,
                    rows: $0.rows($0.below(12), columns: columns.count))
            },
            removals: list {
                let width = $0.below(3) + 1
                let keys =
                    $0.once(in: 8)
                    ? $0.list { $0.key() } : $0.rows($0.below(9), columns: width).map { RowKey($0) }
                return TableKeys(table: $0.text(), keys: keys)
            },
            withheld: list {
                WithheldRow(row: $0.rowName(), column: $0.text(), reason: $0.text())
            },
            expectedRows: maybe { $0.below(.max) },
            expectedTables: list { ExpectedTable(table: $0.text(), rows: $0.below(.max)) })
    }

    package mutating func frame() -> Frame {
        switch below(6) {
        case 0: .welcome(welcome())
        case 1: .outcomes(outcomes())
        case 2: .page(page())
        case 3: .end(End(hasMore: flag(), wait: maybe { $0.duration() }))
        case 4: .alive(Alive(time: HubTime(milliseconds: integer())))
        default: .error(error())
        }
    }

    package mutating func welcome() -> Welcome {
        var welcome = Welcome(
            hub: text(), epoch: Epoch(text()), time: HubTime(milliseconds: integer()),
            schemaVersion: text(),
            schema: maybe { $0.schema() }, isExpired: flag(), suspended: suspended(),
            limits: HubLimits(
                maximumBatchRows: below(.max) + 1, maximumBatchBytes: below(.max) + 1,
                maximumValueBytes: below(.max) + 1),
            keys: list {
                let first = Int64($0.below(.max - 1)) + 1
                return KeyBlock(
                    table: $0.text(), keys: first...max(first, Int64($0.below(.max))))
            }, live: maybe { LiveTerms(heartbeat: $0.duration()) })
        welcome.rights = maybe { $0.rights() }
        welcome.unavailable = scopes().sorted()
        welcome.minimumClientVersion = maybe { $0.text() }
        welcome.copiedAt = maybe { HubTime(milliseconds: $0.integer()) }
        return welcome
    }

    private mutating func duration() -> Duration { .milliseconds(below(86_400_000) + 1) }

    package mutating func compareRequest() -> CompareRequest {
        var request = CompareRequest(
            replica: UUIDText.random(using: &self),
            formerly: maybe { UUIDText.random(using: &$0) }, user: maybe { $0.text() },
            table: tableColumns(0),
            after: maybe { $0.key() },
            maximumRows: below(10_000), cursor: cursor(), withValues: flag())
        request.clientVersion = maybe { $0.text() }
        return request
    }

    package mutating func compareAnswer() -> CompareAnswer {
        CompareAnswer(
            rows: list(upTo: 6) {
                ComparedRow(
                    key: $0.key(), fingerprint: $0.maybe { $0.text() },
                    values: $0.maybe { $0.row(3) },
                    isBeyondCursor: $0.flag(), isWithheld: $0.flag())
            }, next: maybe { $0.key() })
    }

    /// One message of any kind, as bytes.
    package mutating func message() -> (kind: MessageKind, bytes: [UInt8]) {
        let kind = one(of: MessageKind.allCases)
        return (kind, message(kind))
    }

    package mutating func message(_ kind: MessageKind) -> [UInt8] {
        switch kind {
        case .request: request().encoded()
        case .batch: batch().encoded()
        case .cursor: cursor().encoded()
        case .schema: schema().encoded()
        case .compareRequest: compareRequest().encoded()
        case .compareAnswer: compareAnswer().encoded()
        case .schemaAnswer: schemaAnswer().encoded()
        case .error: error().encoded()
        case .values: Array(row(below(9)).jsonText().utf8)
        case .outcomes: outcomes().encoded()
        case .frame: frame().encoded()
        case .requestBlock: request().block()
        case .batchBlock: batch().block()
        case .frameBlock: frame().block()
        }
    }
}

/// The documents that travel or are kept.
package enum MessageKind: String, CaseIterable, Sendable {
    case request, batch, cursor, schema, compareRequest, compareAnswer, schemaAnswer, outcomes
    case error, values, frame
    case requestBlock, batchBlock, frameBlock

    /// Reads bytes as a message of this kind; what can be read is written, and read again as the
    /// same.
    ///
    /// - Returns: What is wrong; `nil` when the bytes are a message, or were refused by a typed error.
    package func problem(of bytes: [UInt8]) -> String? {
        switch self {
        case .request: check(bytes, { try ExchangeRequest(decoding: $0) }, { $0.encoded() })
        case .batch: check(bytes, { try Batch(decoding: $0) }, { $0.encoded() })
        case .cursor: check(bytes, { try SyncCursor(decoding: $0) }, { $0.encoded() })
        case .schema: check(bytes, { try SchemaDescription(decoding: $0) }, { $0.encoded() })
        case .compareRequest: check(bytes, { try CompareRequest(decoding: $0) }, { $0.encoded() })
        case .compareAnswer: check(bytes, { try CompareAnswer(decoding: $0) }, { $0.encoded() })
        case .schemaAnswer: check(bytes, { try SchemaAnswer(decoding: $0) }, { $0.encoded() })
        case .outcomes: check(bytes, { try Outcomes(decoding: $0) }, { $0.encoded() })
        case .error: check(bytes, { try HubError(decoding: $0) }, { $0.encoded() })
        case .frame: check(bytes, { try Frame(decoding: $0) }, { $0.encoded() })
        case .requestBlock: check(bytes, { try ExchangeRequest(decoding: $0) }, { $0.block() })
        case .batchBlock: check(bytes, { try Batch(decoding: $0) }, { $0.block() })
        case .frameBlock: check(bytes, { try Frame(block: $0) }, { $0.block() })
        case .values:
            check(
                bytes, { try [Value](jsonText: String(decoding: $0, as: UTF8.self)) },
                { Array($0.jsonText().utf8) })
        }
    }

    private func check<Message: Equatable>(
        _ bytes: [UInt8], _ decode: ([UInt8]) throws -> Message, _ encode: (Message) -> [UInt8]
    ) -> String? {
        let message: Message
        do {
            message = try decode(bytes)
        } catch {
            return error is HubError ? nil : "\(self): refused by an error of another type"
        }
        let written = encode(message)
        guard let again = try? decode(written) else {
            return "\(self): what was written cannot be read"
        }
        guard again == message else { return "\(self): what was written is read as another" }
        return encode(again) == written ? nil : "\(self): written twice, and not the same"
    }
}
