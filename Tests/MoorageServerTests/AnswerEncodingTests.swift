#if Server
    import Foundation
    import Moorage
    import MoorageAsyncHTTP
    import MoorageCore
    import MoorageServer
    import MoorageTesting
    import MoorageWire
    import TestSupport
    import Testing

    @Suite(.ownThreads) struct `An answer's encoding` {
        private func answer(
            _ accept: String?, _ acceptEncoding: String?, text: String
        ) async throws -> (head: HTTPTransportResponse, bytes: [UInt8]) {
            let hub = ScriptedHub(onExchange: { _, receive in
                try await receive(Sample.welcome)
                try await receive(Sample.page(caughtUp: true, text: text))
                try await receive(.end(End(hasMore: false)))
            })
            return try await RunningServer.run(hub) { server in
                var headers = [
                    (name: "Authorization", value: "Bearer \(Sample.secret)"),
                    (name: "Content-Type", value: "application/json"),
                ]
                if let accept { headers.append(("Accept", accept)) }
                if let acceptEncoding { headers.append(("Accept-Encoding", acceptEncoding)) }
                let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/v1/exchange"))
                let head = try await AsyncHTTPTransport().send(
                    HTTPTransportRequest(
                        method: "POST", url: url, headers: headers,
                        body: Sample.request.encoded()))
                var bytes: [UInt8] = []
                for try await chunk in head.body { bytes += chunk }
                return (head, bytes)
            }
        }

        private func frames(_ bytes: [UInt8], _ encoding: WireEncoding) throws -> [Frame] {
            var reader = FrameReader(encoding, maximumFrameBytes: 100_000)
            reader.add(bytes)
            var frames: [Frame] = []
            while let frame = try reader.next() { frames.append(frame) }
            return frames
        }

        @Test(
            arguments: [
                (nil, .json), ("*/*", .json), ("application/x-ndjson", .json),
                ("application/vnd.moorage.blocks, application/x-ndjson", .blocks),
                ("application/x-ndjson,Application/VND.Moorage.Blocks ; q=0.9", .blocks),
                ("application/vnd.moorage.blocks;q=0", .json),
                ("application/vnd.moorage.blocks; Q=0.0, application/x-ndjson", .json),
            ] as [(String?, WireEncoding)])
        func `is the one that was asked for`(accept: String?, encoding: WireEncoding) async throws {
            let (head, bytes) = try await answer(accept, "gzip", text: "x")
            #expect(head.headers["content-type"] == encoding.answerType)
            #expect(head.headers["vary"] == "Accept, Accept-Encoding")
            // A small one comes as it is, in one piece.
            #expect(head.headers["content-encoding"] == nil)
            #expect(head.headers["content-length"] == "\(bytes.count)")
            #expect(
                try frames(bytes, encoding) == [
                    Sample.welcome, Sample.page(caughtUp: true), .end(End(hasMore: false)),
                ])
        }

        @Test(
            arguments: [
                (nil, false), ("gzip", true), ("deflate, GZIP;q=0.5", true), ("gzip;q=0", false),
                ("br", false), ("*", false),
            ] as [(String?, Bool)])
        func `is compressed where that is wanted and worth it`(
            accepted: String?, isPacked: Bool
        ) async throws {
            for encoding in WireEncoding.allCases {
                let text = String(repeating: "x", count: 2_000)
                let (head, bytes) = try await answer(encoding.answerType, accepted, text: text)
                #expect(head.headers["content-encoding"] == (isPacked ? "gzip" : nil))
                #expect(head.headers["vary"] == "Accept, Accept-Encoding")
                var plain = bytes
                if isPacked {
                    #expect(bytes.count < 1_000)
                    let answer = try unpacked(bytes)
                    #expect(answer.isWhole)
                    plain = answer.plain
                }
                #expect(
                    try frames(plain, encoding) == [
                        Sample.welcome, Sample.page(caughtUp: true, text: text),
                        .end(End(hasMore: false)),
                    ])
            }
        }
    }
#endif
