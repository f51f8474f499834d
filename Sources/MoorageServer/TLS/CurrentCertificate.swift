#if Server
    import Foundation
    import Logging
    import MoorageSupport
    import MoorageWire
    import NIOCore
    import NIOPosix
    import NIOSSL

    /// The certificate that the server shows to new connections. Its files may be renewed while the
    /// server runs. Open connections keep the certificate that they began with.
    final class CurrentCertificate: Sendable {
        /// The contents of the two files.
        private struct Contents: Hashable {
            let certificate: [UInt8]
            let key: [UInt8]
        }

        private struct Loaded {
            let contents: Contents
            let context: NIOSSLContext
            let certificate: NIOSSLCertificate
        }

        /// A certificate with its whole chain has a few thousand bytes.
        private static let maximumFileBytes = 1_000_000
        /// How many days before the end the server warns, so that the owner can still renew the
        /// certificate.
        private static let warningDays = 14

        private let files: TLSFiles
        private let logger: Logger
        private let loaded: Locked<Loaded>

        /// - Throws: ``HubError`` `configuration` for files that cannot be read or do not belong
        ///   together.
        init(_ files: TLSFiles, logger: Logger) async throws {
            self.files = files
            self.logger = logger
            let contents = try await Self.read(files)
            let (context, certificate) = try Self.context(contents, files)
            loaded = Locked(
                Loaded(contents: contents, context: context, certificate: certificate))
            tell(certificate)
        }

        var context: NIOSSLContext { loaded.withLock { $0.context } }

        /// Checks the files at intervals until it is cancelled. While one of them is half written,
        /// or they do not match, the server keeps the certificate that it has.
        func keepFresh(every interval: Duration) async {
            var refused: Contents?
            var lastFailure: String?
            var toldAt = ContinuousClock.now
            while (try? await Task.sleep(for: interval)) != nil {
                do {
                    if toldAt.duration(to: .now) > .seconds(86_400) {
                        toldAt = .now
                        tell(loaded.withLock { $0.certificate })
                    }
                    let contents = try await Self.read(files)
                    let isKnown = contents == loaded.withLock { $0.contents }
                    if isKnown { (refused, lastFailure) = (nil, nil) }
                    guard !isKnown, contents != refused else { continue }
                    refused = contents
                    let (context, certificate) = try Self.context(contents, files)
                    loaded.withLock {
                        $0 = Loaded(contents: contents, context: context, certificate: certificate)
                    }
                    logger.info("The certificate was read again")
                    tell(certificate)
                } catch is CancellationError {
                    return
                } catch {
                    // Logs a failure once, not at each check.
                    if lastFailure == "\(error)" { continue }
                    lastFailure = "\(error)"
                    logger.warning(
                        "The certificate cannot be renewed; the server keeps the one it has: \(error)"
                    )
                }
            }
        }

        private func tell(_ certificate: NIOSSLCertificate) {
            let days = (Double(certificate.notValidAfter) - Date().timeIntervalSince1970) / 86_400
            if days < 0 {
                logger.error("The certificate is out of date: clients refuse it")
            } else if days < Double(Self.warningDays) {
                logger.warning("The certificate is good for \(Int(days)) more days")
            }
        }

        private static func read(_ files: TLSFiles) async throws -> Contents {
            // Reading files blocks, so it does not run on Swift's own threads.
            try await NIOThreadPool.singleton.runIfActive {
                Contents(
                    certificate: try bytes(of: files.certificate), key: try bytes(of: files.key))
            }
        }

        private static func bytes(of path: String) throws -> [UInt8] {
            guard let file = FileHandle(forReadingAtPath: path) else {
                throw HubError.unreadableTLSFile(path)
            }
            defer { try? file.close() }
            guard let data = try? file.read(upToCount: maximumFileBytes + 1), !data.isEmpty,
                data.count <= maximumFileBytes
            else { throw HubError.unusableTLSFileContents(path) }
            return Array(data)
        }

        private static func context(
            _ contents: Contents, _ files: TLSFiles
        ) throws -> (NIOSSLContext, NIOSSLCertificate) {
            // The library's message about a key may quote it.
            guard let chain = try? NIOSSLCertificate.fromPEMBytes(contents.certificate),
                let certificate = chain.first
            else { throw HubError.noCertificate(in: files.certificate) }
            guard let key = try? NIOSSLPrivateKey(bytes: contents.key, format: .pem) else {
                throw HubError.noPrivateKey(in: files.key)
            }
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            // The server does not wait for a client that does not close its side.
            configuration.shutdownTimeout = .milliseconds(500)
            do {
                return (try NIOSSLContext(configuration: configuration), certificate)
            } catch {
                throw HubError.keyOfAnotherCertificate(
                    files.key, certificate: files.certificate)
            }
        }
    }
#endif
