import Foundation

/// SQLite's session extension, which its header hides: the functions are looked up by name.
struct SQLiteSession {
    private typealias Create =
        @convention(c) (
            OpaquePointer, UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>
        ) -> Int32
    private typealias Attach = @convention(c) (OpaquePointer, UnsafePointer<CChar>?) -> Int32
    private typealias Patchset =
        @convention(c) (
            OpaquePointer, UnsafeMutablePointer<Int32>,
            UnsafeMutablePointer<UnsafeMutableRawPointer?>
        ) -> Int32

    private let file: RawSQLite
    private let handle: OpaquePointer

    /// Records what changes from now on. The session lives as long as the process: it is measured once.
    init(on file: RawSQLite) throws {
        self.file = file
        let create = try Self.function("sqlite3session_create", Create.self)
        let attach = try Self.function("sqlite3session_attach", Attach.self)
        var session: OpaquePointer?
        let code = file.withHandle { create($0, "main", &session) }
        guard code == 0, let session, attach(session, nil) == 0 else {
            throw BenchmarkFailure("SQLite's session extension does not start.")
        }
        handle = session
    }

    func patchsetSize() throws -> Int {
        let patchset = try Self.function("sqlite3session_patchset", Patchset.self)
        var size: Int32 = 0
        var bytes: UnsafeMutableRawPointer?
        guard patchset(handle, &size, &bytes) == 0 else {
            throw BenchmarkFailure("SQLite made no patchset.")
        }
        return Int(size)
    }

    private static func function<Function>(_ name: String, _ type: Function.Type) throws -> Function
    {
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), name) else {
            throw BenchmarkFailure("This SQLite was built without \(name).")
        }
        return unsafeBitCast(symbol, to: type)
    }
}
