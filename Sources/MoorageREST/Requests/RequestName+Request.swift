import MoorageCore
import MoorageHub

extension RequestName {
    /// The headers that change what a request means.
    private static let headers = ["Prefer", "If-Match", "If-None-Match", "Content-Type"]
    static let mostCharacters = 128

    /// - Returns: `nil` for a request that is carried out each time.
    init?(_ request: RESTRequest) throws(RESTProblem) {
        let keys = request.values(of: "Idempotency-Key")
        guard let key = keys.first else { return nil }
        guard keys.count == 1, (1...Self.mostCharacters).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw .badIdempotencyKey }
        var fingerprint = Fingerprint()
        fingerprint.add(request.method.utf8)
        fingerprint.add(request.path.utf8)
        fingerprint.add((request.query ?? "").utf8)
        for name in Self.headers {
            let values = request.values(of: name)
            fingerprint.add(UInt64(values.count))
            for value in values { fingerprint.add(value.utf8) }
        }
        fingerprint.add(request.body)
        self.init(key: key, fingerprint: fingerprint.hex)
    }
}
