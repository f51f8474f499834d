#if Server
    import Foundation
    import MoorageCore
    import MoorageWire
    import TestSupport
    import Testing

    /// Every example in docs/reference/protocol.md, read and written again.
    @Suite(.ownThreads) struct `The document of the protocol` {
        struct Example: CustomTestStringConvertible {
            let kind: String
            let text: String
            var testDescription: String { "\(kind): \(text.prefix(60))" }
        }

        private static let page = "docs/reference/protocol.md"

        static let examples: [Example] = PageBlock.blocks(of: page)
            .filter { $0.language.hasPrefix("json ") }.map { block in
                // A line that goes on begins with a space.
                let lines = block.lines.map { $0.first == " " ? $0.dropFirst() : $0[...] }
                return Example(kind: String(block.language.dropFirst(5)), text: lines.joined())
            }

        @Test func `has examples of every message`() {
            let kinds = Set(Self.examples.map(\.kind))
            #expect(
                kinds == [
                    "table-columns", "exchange-request", "batch", "cursor", "frame", "frame-block",
                    "schema-answer", "compare-request", "compare-answer", "error",
                ])
        }

        @Test(arguments: examples)
        func `shows what is written, byte for byte`(example: Example) throws {
            let bytes = Array(example.text.utf8)
            let written: [UInt8]? =
                switch example.kind {
                case "exchange-request": try ExchangeRequest(decoding: bytes).encoded()
                case "batch": try Batch(decoding: bytes).encoded()
                case "cursor": try SyncCursor(decoding: bytes).encoded()
                case "frame", "frame-block": try Frame(decoding: bytes).encoded()
                case "compare-request": try CompareRequest(decoding: bytes).encoded()
                case "compare-answer": try CompareAnswer(decoding: bytes).encoded()
                case "error": try HubError(decoding: bytes).encoded()
                case "schema-answer": try schemaAnswer(bytes)
                default: nil
                }
            guard let written else { return }
            #expect(String(decoding: written, as: UTF8.self) == example.text)
        }

        /// The version is made from the tables: the document may show any.
        private func schemaAnswer(_ bytes: [UInt8]) throws -> [UInt8] {
            let answer = try SchemaAnswer(decoding: bytes)
            let written = String(decoding: answer.encoded(), as: UTF8.self)
            let shown = String(decoding: bytes, as: UTF8.self)
            guard case .string(let version)? = try JSON(parsing: shown)["version"] else {
                return []
            }
            return Array(written.replacing(answer.schema.version, with: version).utf8)
        }

        @Test func `tells each code of an error`() throws {
            let text = try Repository.text(Self.page)
            for code: HubError.Code in [
                .unreachable, .notOurServer, .untrustedServer, .unauthorized, .malformed, .tooLarge,
                .protocolTooOld, .clientTooOld, .notFound, .differentHub, .cursorInvalid,
                .databaseUnavailable, .databaseError, .notAttached, .metadataTooNew,
                .tableUnsupported, .tableSuspended,
                .unknownTable, .unknownColumn, .busy, .shuttingDown, .internalError,
            ] {
                #expect(text.contains("`\(code.rawValue)`"))
            }
        }
    }
#endif
