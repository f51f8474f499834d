import Foundation
import MoorageSupport
import MoorageWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// HTTP by URLSession. It follows no redirect: a hub sends none, but a captive portal does.
///
/// It is safe on any thread. When the last reference to it is gone, requests under way are
/// cancelled.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let delegate: SessionDelegate
    private let totalTimeout: Duration

    /// A transport that trusts the servers that the system trusts.
    ///
    /// - Parameters:
    ///   - idleTimeout: How long a connection may be silent; 30 s by default.
    ///   - totalTimeout: How long one exchange may take in all, unless its answer stays open; 600 s
    ///     by default.
    public convenience init(
        idleTimeout: Duration = .seconds(30), totalTimeout: Duration = .seconds(600)
    ) {
        self.init(SessionDelegate(), idleTimeout, totalTimeout)
    }

    #if canImport(Security)
        /// A transport that pins the server's key. The hub's address must be `https`.
        ///
        /// - Parameters:
        ///   - pins: The server must show one of these keys, and the system must trust its
        ///     certificate, too. Name the next key together with the present one. Otherwise no
        ///     device finds its hub after the key changes.
        ///   - idleTimeout: How long a connection may be silent.
        ///   - totalTimeout: How long one exchange may take in all, unless its answer stays open.
        public convenience init(
            pins: Set<KeyPin>, idleTimeout: Duration = .seconds(30),
            totalTimeout: Duration = .seconds(600)
        ) {
            self.init(
                SessionDelegate(keys: PinnedKeys(pins: pins)), idleTimeout, totalTimeout)
        }
    #endif

    private init(
        _ delegate: SessionDelegate, _ idleTimeout: Duration, _ totalTimeout: Duration
    ) {
        self.delegate = delegate
        self.totalTimeout = totalTimeout
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = TimeInterval(idleTimeout.milliseconds) / 1000
        configuration.httpShouldSetCookies = false
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    /// Sends a request, and returns when the head is here. Cancelling the task breaks it off.
    ///
    /// - Parameter request: What to send.
    /// - Returns: The head, with any status, and the body as it arrives.
    /// - Throws: `CancellationError`, and what URLSession throws. A `HubError` has the code
    ///   `untrustedServer` if the server's key is not pinned. It has `configuration` if keys are
    ///   pinned and the address is not `https`.
    public func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        guard !delegate.isPinning || request.url.scheme?.lowercased() == "https" else {
            throw HubError.nothingToPin
        }
        var message = URLRequest(url: request.url)
        message.httpMethod = request.method
        for header in request.headers {
            message.setValue(header.value, forHTTPHeaderField: header.name)
        }
        if !request.body.isEmpty { message.httpBody = Data(request.body) }
        let task = session.dataTask(with: message)
        let (body, bodyContinuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        bodyContinuation.onTermination = { _ in task.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                delegate.begin(
                    task.taskIdentifier,
                    Answer(
                        head: continuation, stream: body, body: bodyContinuation,
                        end: request.isOpenEnded ? nil : .now + totalTimeout))
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }
}

/// An answer under way.
private struct Answer: Sendable {
    /// `nil` once the head was handed on.
    var head: CheckedContinuation<HTTPTransportResponse, any Error>?
    let stream: AsyncThrowingStream<[UInt8], any Error>
    let body: AsyncThrowingStream<[UInt8], any Error>.Continuation
    /// The answer must be here by then. It is checked when a piece of the answer arrives, or of the
    /// request is sent. Silence has a limit of its own.
    let end: ContinuousClock.Instant?
    var isTooLate = false
    /// The server showed none of the keys that are pinned.
    var hasWrongKey = false
}

private final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private let answers = Locked<[Int: Answer]>([:])

    #if canImport(Security)
        private let keys: PinnedKeys?

        init(keys: PinnedKeys? = nil) { self.keys = keys }

        var isPinning: Bool { keys != nil }

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler:
                @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            switch keys?.verdict(challenge) ?? .system {
            case .system: completionHandler(.performDefaultHandling, nil)
            case .right(let trust): completionHandler(.useCredential, URLCredential(trust: trust))
            case .wrong:
                // The session will report a cancelled task, though nobody cancelled it.
                answers.withLock { $0[task.taskIdentifier]?.hasWrongKey = true }
                completionHandler(.cancelAuthenticationChallenge, nil)
            }
        }
    #else
        var isPinning: Bool { false }
    #endif

    func begin(_ task: Int, _ answer: Answer) { answers.withLock { $0[task] = answer } }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        var headers: [String: String] = [:]
        let http = response as? HTTPURLResponse
        for (name, value) in http?.allHeaderFields ?? [:] {
            headers["\(name)".lowercased()] = "\(value)"
        }
        let answer = answers.withLock { answers in
            let answer = answers[dataTask.taskIdentifier]
            answers[dataTask.taskIdentifier]?.head = nil
            return answer
        }
        if let answer {
            answer.head?.resume(
                returning: HTTPTransportResponse(
                    status: http?.statusCode ?? 0, headers: headers, body: answer.stream))
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if isInTime(dataTask) {
            let answer = answers.withLock { $0[dataTask.taskIdentifier] }
            answer?.body.yield([UInt8](data))
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) { _ = isInTime(task) }

    private func isInTime(_ task: URLSessionTask) -> Bool {
        let isInTime = answers.withLock { answers in
            guard let end = answers[task.taskIdentifier]?.end, end < .now else { return true }
            answers[task.taskIdentifier]?.isTooLate = true
            return false
        }
        if !isInTime { task.cancel() }
        return isInTime
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let answer = answers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        let failure = error.map { error -> any Error in
            if answer?.hasWrongKey == true { return HubError.wrongKey }
            if answer?.isTooLate == true { return URLError(.timedOut) }
            return (error as? URLError)?.code == .cancelled ? CancellationError() : error
        }
        answer?.head?.resume(throwing: failure ?? URLError(.badServerResponse))
        answer?.body.finish(throwing: failure)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) { completionHandler(nil) }
}
