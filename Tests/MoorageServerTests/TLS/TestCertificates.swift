#if Server
    import Foundation
    import MoorageServer

    /// Certificates of an authority that is only the tests', for `localhost` and `127.0.0.1`, good until 2126;
    /// made with openssl (prime256v1).
    enum TestCertificates {
        static let authority = """
            -----BEGIN CERTIFICATE-----
            MIIBmTCCAT+gAwIBAgIUQoSL1m5yzUc5v4+MtF2lKZJLcwcwCgYIKoZIzj0EAwIw
            ITEfMB0GA1UEAwwWTW9vcmFnZSB0ZXN0IGF1dGhvcml0eTAgFw0yNjExMjIyMDIw
            MjBaGA8yMTI2MTAyOTIwMjAyMFowITEfMB0GA1UEAwwWTW9vcmFnZSB0ZXN0IGF1
            dGhvcml0eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFOjGH1D97LmD1VB6l51
            oGZxt9OgTTPw29zbhUVhvfOPt84YTC81OlbPUcZagPIvf0qtiYnkdOeRh6gV5iJK
            c+SjUzBRMB0GA1UdDgQWBBQDH1BBk10XJzSETrf05pKuGOLO5jAfBgNVHSMEGDAW
            gBQDH1BBk10XJzSETrf05pKuGOLO5jAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49
            BAMCA0gAMEUCIQCPq5zVYsyOCY/f31dR6NGmgt/eKQzdOzVUxnAVv5eDOgIgJhAD
            3BZtPppGwPZHsWLend4r/iWnyPv2Ifaqaia3jew=
            -----END CERTIFICATE-----
            """

        /// An authority that signed none of them.
        static let another = """
            -----BEGIN CERTIFICATE-----
            MIIBkDCCATWgAwIBAgIUXG3iziw6AxEW2u+U2JDW9o6azkUwCgYIKoZIzj0EAwIw
            HDEaMBgGA1UEAwwRQW5vdGhlciBhdXRob3JpdHkwIBcNMjYxMTIyMjAyMDIwWhgP
            MjEyNjEwMjkyMDIwMjBaMBwxGjAYBgNVBAMMEUFub3RoZXIgYXV0aG9yaXR5MFkw
            EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8j7ueyYCnHQ0XAtrvB2AW80Sam9LxfrD
            +DxkITcvlLmcw1asNcGdtwepW/8oVtnqwBZg/CTlYsh/XaSe4tD8CqNTMFEwHQYD
            VR0OBBYEFEIm1A6rCGY25fEWinN7aM39m6S4MB8GA1UdIwQYMBaAFEIm1A6rCGY2
            5fEWinN7aM39m6S4MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIh
            AORYb9laf/APQdENfWJ1eOWxWGsbun7teyOSAc4+DIbpAiEA5HExUY5VeVsqaDB7
            Br/k/7OUfz7avUc61DboT+y7yJI=
            -----END CERTIFICATE-----
            """

        static let a = Pair(
            certificate: """
                -----BEGIN CERTIFICATE-----
                MIIBnzCCAUSgAwIBAgIUFenrdoEljIL1iHEo7krcmDrUysIwCgYIKoZIzj0EAwIw
                ITEfMB0GA1UEAwwWTW9vcmFnZSB0ZXN0IGF1dGhvcml0eTAgFw0yNjExMjIyMDIw
                MjBaGA8yMTI2MTAyOTIwMjAyMFowEDEOMAwGA1UEAwwFaHViIGEwWTATBgcqhkjO
                PQIBBggqhkjOPQMBBwNCAASmUtjB4J389knN4sRAy5rPQ2HjXcBZYOTX2iGHAVC4
                UePITj7IKjm43u7BQBqGBZPYuKzOVBvsBW+RdHAdW+FSo2kwZzAaBgNVHREEEzAR
                gglsb2NhbGhvc3SHBH8AAAEwCQYDVR0TBAIwADAdBgNVHQ4EFgQUtbLxy1rva85c
                fk9/Q9qowtQQUmMwHwYDVR0jBBgwFoAUAx9QQZNdFyc0hE639OaSrhjizuYwCgYI
                KoZIzj0EAwIDSQAwRgIhAOYX6AKatITdUS3ocpcJlKEdwo44JpE+ToAwLZAKFuld
                AiEAnDiUgLpIufD3PTtgWzecE0r/2pqsMEWrnnplHXq2cSk=
                -----END CERTIFICATE-----
                """,
            key: """
                -----BEGIN PRIVATE KEY-----
                MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgN6Ddb6rAXgVszGdo
                OoX+3O9IVXt39D4fkl1l7uCpMIWhRANCAASmUtjB4J389knN4sRAy5rPQ2HjXcBZ
                YOTX2iGHAVC4UePITj7IKjm43u7BQBqGBZPYuKzOVBvsBW+RdHAdW+FS
                -----END PRIVATE KEY-----
                """,
            pin: "sha256/6sJZW3okKCWJ3/XNmJji2S1hIqkWalR9uJYzXIqNW2w=")

        static let b = Pair(
            certificate: """
                -----BEGIN CERTIFICATE-----
                MIIBnjCCAUSgAwIBAgIUFenrdoEljIL1iHEo7krcmDrUysMwCgYIKoZIzj0EAwIw
                ITEfMB0GA1UEAwwWTW9vcmFnZSB0ZXN0IGF1dGhvcml0eTAgFw0yNjExMjIyMDIw
                MjBaGA8yMTI2MTAyOTIwMjAyMFowEDEOMAwGA1UEAwwFaHViIGIwWTATBgcqhkjO
                PQIBBggqhkjOPQMBBwNCAAQYf8BaSeR5NZ+Ui1lB8MiW1Q3K3IGWfsi9F/+8WudD
                ktQOrFAiQz0Rt1NPUo4OOtkI+YYT5Y8n34zPgQmcridoo2kwZzAaBgNVHREEEzAR
                gglsb2NhbGhvc3SHBH8AAAEwCQYDVR0TBAIwADAdBgNVHQ4EFgQUwuN4WQs4voEK
                hzAiX/CSwstJejswHwYDVR0jBBgwFoAUAx9QQZNdFyc0hE639OaSrhjizuYwCgYI
                KoZIzj0EAwIDSAAwRQIhAJcLzJL0YB9kQ4bWfPuxAwpFP+ir+RufA+GDo747VQC2
                AiAN7xhRl+uRdIqtCY9aL75S8ixQbPea9Ssu6Pt0UNgsJA==
                -----END CERTIFICATE-----
                """,
            key: """
                -----BEGIN PRIVATE KEY-----
                MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgrggQ/GMfAByNxvpy
                YUJCjyyrKIMoDalZVnUr8eijdtahRANCAAQYf8BaSeR5NZ+Ui1lB8MiW1Q3K3IGW
                fsi9F/+8WudDktQOrFAiQz0Rt1NPUo4OOtkI+YYT5Y8n34zPgQmcrido
                -----END PRIVATE KEY-----
                """,
            pin: "sha256/8kdpSNaLB24iFU8waHiqcnS2ajUFq3DMTVCo3gt9c8E=")

        struct Pair: Sendable {
            let certificate: String
            let key: String
            let pin: String
        }
    }

    /// The two files of a server, in a folder of their own.
    final class CertificateFolder: Sendable {
        private let folder: URL

        init(_ pair: TestCertificates.Pair = TestCertificates.a) throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try write(certificate: pair.certificate)
            try write(key: pair.key)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        var files: TLSFiles {
            TLSFiles(
                certificate: folder.appending(path: "chain.pem").path,
                key: folder.appending(path: "key.pem").path)
        }

        func write(certificate: String) throws {
            try Data(certificate.utf8).write(
                to: folder.appending(path: "chain.pem"), options: .atomic)
        }

        func write(key: String) throws {
            try Data(key.utf8).write(to: folder.appending(path: "key.pem"), options: .atomic)
        }
    }
#endif
