#if Server
    import MoorageCore

    @testable import MoorageServer

    /// Keys that sign nothing but tests.
    enum TestKeys {
        static let secret = "a secret of thirty-two bytes and some more"

        static let rsa = """
            -----BEGIN PRIVATE KEY-----
            MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCyIIZ7gmyu6+2k
            a3zjyJu3O7JWHL/gOuMCQxrpo8Kx8nsFATHgVNuVGALbw7hYuPCGoouNBKD91EKV
            R0HLu396DMCOoHNO0Hf2+gKosjUSaEU1ZKQKShZAPVbdEsoTocelG7cTP8TmhINy
            390eggUPA+JBIsRyyNWJIHOVRFaKQUxTQEKgqfniLDgw1NT8RM77eoBhQ1j9LVUK
            wEjvEwMlcmhemhUdRoc9O11cbRx0FhTW90j/frW6hUVp8qOW7d5nCxqbelxIYB9R
            QHuotg3SBJgpt1yySga/AGqvwAs7o0uFzCNwFXSQCd7mETrLcJoQuNnR5K0bERSC
            Qy2XQ1f9AgMBAAECggEADmgUCGQ9jw4027H32WJtua2h2FYd7LBGkPXFdPUSN5sx
            eO+mTYr/cXkOLiEPxVk71t/Jop+nt6/VrMYlG6mv/zqNzltKyCqTMU36LhOvuCvn
            wRBBNjXUw+BSKLIu1tSkVYW+0lc7gRthmEZj12ZTq2m4gGUj91an8p3Fy2JKD4di
            n/9HeR+XDgMBBLsaGn4lvr0WWsgFlyBZAlgnnD1Rq5sF92fpfqqa1ixxvG3S8yk2
            aqnJ1sZU7nwEwTgE2YL5UbAxuWDo3en1rqZVYseQPMGy6gg0SVtOeHnJKcwiGi6e
            Sz9wWUjqsiA0BuJrznGUC/bB/CwgUlNNyRbU+kSFfwKBgQDz+aI+CIOqKKBTnRAO
            2LDajk3ksF9oka/5WD7fzsPFlCRIPqK1FFvaPUr+PTUOGOCzbWyFgQqqtrpEGkNM
            cr8Ctme0oqhdhodBBS2SIt3CqYqhx3rhdxmIRIMk/eMeQjfjHgl0LPFJztLGGhyD
            lUYq9A1R2iomfYczPSpCceLjewKBgQC66Az7hOZt+mgs8H5jfLLUVqCjVAtz2pnG
            Tescjk9jxkD8MfBUGgJXYRmASMB0HpZn9mpbJP+WlC4l4pFquXRXkJekZIqA1JhK
            SOKvgySHtR8PARSYtrrA5deIgpb4yrrC8fO51B32NIesb/nl/nwIZ9qyKKX/8MwQ
            657wvmH85wKBgBaExw3UuVpeT5YIHDBSndg+ZEAka1n6gHSSSZNcwUMeTk8AwQHX
            tDari511xszbTPoism6MH5DsNrsMdYO735d/gIjyrnmbbiZ5NOCVKUTLY0lVYSko
            Vgn20Of8Kxdi40eqQRMhBtBaL6grRtB6WbSjPAt/CH7u/Sikj578ZgW7AoGBAIcp
            /Ql/aKyr495r5NrJeQG5y92Rj96ufXo9KwOxnpQG8UPwUV5gmMTcAXcWJadT3207
            dFqJfRRGAMGBAaxuhUY12JQX6VmVZLSD1PscGbTSNK3DGEQAEToifSXJWqh842bL
            VnhSf4BnKJ55M/0xdj0V7b/dSX63grvRyVVMOMyNAoGBANy7MOQ7/FbBEY3Dp1ID
            yMvQcdr+haArlxD1IXjkyKTQjWcg4GZpoVtra2JxOb+Ka2vmnjzuCipdQ2iIi6qa
            t+5dQ+W9RKBuHnQRSQiiUVcOiU1SLm0zpVt8sHns18nE/+J6Y8BuFxOPLa11NxU0
            WH0vnihtt4hZob7AW7Pjmasj
            -----END PRIVATE KEY-----
            """
        static let rsaPublic = """
            -----BEGIN PUBLIC KEY-----
            MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAsiCGe4JsruvtpGt848ib
            tzuyVhy/4DrjAkMa6aPCsfJ7BQEx4FTblRgC28O4WLjwhqKLjQSg/dRClUdBy7t/
            egzAjqBzTtB39voCqLI1EmhFNWSkCkoWQD1W3RLKE6HHpRu3Ez/E5oSDct/dHoIF
            DwPiQSLEcsjViSBzlURWikFMU0BCoKn54iw4MNTU/ETO+3qAYUNY/S1VCsBI7xMD
            JXJoXpoVHUaHPTtdXG0cdBYU1vdI/361uoVFafKjlu3eZwsam3pcSGAfUUB7qLYN
            0gSYKbdcskoGvwBqr8ALO6NLhcwjcBV0kAne5hE6y3CaELjZ0eStGxEUgkMtl0NX
            /QIDAQAB
            -----END PUBLIC KEY-----
            """
        static let ec = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGYG0H5NCETcef5cP
            B2M7uMO3qLdYDeEVlFCjjw3vzWChRANCAATHkmmf5kTLZpxeNhdMTqwmiFc0G6tw
            G0VXSOCTLx6G/INCo0fFTCPEzq2lKMBK2WB41hmG2GdPeo48EkBOWS0Z
            -----END PRIVATE KEY-----
            """
        static let ecPublic = """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEx5Jpn+ZEy2acXjYXTE6sJohXNBur
            cBtFV0jgky8ehvyDQqNHxUwjxM6tpSjAStlgeNYZhthnT3qOPBJATlktGQ==
            -----END PUBLIC KEY-----
            """
        static let ed = """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIJD7wZ1OYgTUlIBuKxUNBT5wrL9KbqKSL0xroZgICUYc
            -----END PRIVATE KEY-----
            """
        static let edPublic = """
            -----BEGIN PUBLIC KEY-----
            MCowBQYDK2VwAyEAlbyTrJvxUqpoWl+zbGbjt+fqOzRWuWB7gPsK7JA/W9k=
            -----END PUBLIC KEY-----
            """

        static let rsaModulus =
            "siCGe4JsruvtpGt848ibtzuyVhy_4DrjAkMa6aPCsfJ7BQEx4FTblRgC28O4WLjwhqKLjQSg_dRClUdB"
            + "y7t_egzAjqBzTtB39voCqLI1EmhFNWSkCkoWQD1W3RLKE6HHpRu3Ez_E5oSDct_dHoIFDwPiQSLEcsjV"
            + "iSBzlURWikFMU0BCoKn54iw4MNTU_ETO-3qAYUNY_S1VCsBI7xMDJXJoXpoVHUaHPTtdXG0cdBYU1vdI"
            + "_361uoVFafKjlu3eZwsam3pcSGAfUUB7qLYN0gSYKbdcskoGvwBqr8ALO6NLhcwjcBV0kAne5hE6y3Ca"
            + "ELjZ0eStGxEUgkMtl0NX_Q"
        static let ecX = "x5Jpn-ZEy2acXjYXTE6sJohXNBurcBtFV0jgky8ehvw"
        static let ecY = "g0KjR8VMI8TOraUowErZYHjWGYbYZ096jjwSQE5ZLRk"
        static let edX = "lbyTrJvxUqpoWl-zbGbjt-fqOzRWuWB7gPsK7JA_W9k"

        /// The key for an algorithm that can sign.
        static func signing(_ algorithm: TokenAlgorithm, id: String? = "k") async throws -> TokenKey
        {
            switch algorithm {
            case .hs256: try await TokenKey(id: id, secret: secret)
            case .rs256: try await TokenKey(id: id, algorithm: .rs256, pem: rsa)
            case .es256: try await TokenKey(id: id, algorithm: .es256, pem: ec)
            case .edDSA: try await TokenKey(id: id, algorithm: .edDSA, pem: ed)
            }
        }

        /// The key for an algorithm that can only check, where there is one.
        static func checking(_ algorithm: TokenAlgorithm, id: String? = "k") async throws
            -> TokenKey
        {
            switch algorithm {
            case .hs256: try await TokenKey(id: id, secret: secret)
            case .rs256: try await TokenKey(id: id, algorithm: .rs256, pem: rsaPublic)
            case .es256: try await TokenKey(id: id, algorithm: .es256, pem: ecPublic)
            case .edDSA: try await TokenKey(id: id, algorithm: .edDSA, pem: edPublic)
            }
        }

        /// A public key as an issuer publishes it.
        static func jwk(
            _ algorithm: TokenAlgorithm, id: String = "k", named: Bool = true, use: String? = nil
        ) -> String {
            let key =
                switch algorithm {
                case .hs256: #""kty":"oct","k":"AAAA""#
                case .rs256: #""kty":"RSA","e":"AQAB","n":"\#(rsaModulus)""#
                case .es256: #""kty":"EC","crv":"P-256","x":"\#(ecX)","y":"\#(ecY)""#
                case .edDSA: #""kty":"OKP","crv":"Ed25519","x":"\#(edX)""#
                }
            let name = named ? #","alg":"\#(algorithm.rawValue)""# : ""
            let use = use.map { #","use":"\#($0)""# } ?? ""
            return #"{"kid":"\#(id)",\#(key)\#(name)\#(use)}"#
        }
    }
#endif
