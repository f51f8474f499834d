public import GRDB
public import Moorage
public import MoorageHub
public import MoorageSandbox
public import Testing

/// Gives each test a ``MoorageSandbox/Sandbox`` of its own: a hub and devices in memory.
///
/// ```swift
/// @Suite(.sandbox(tables: [.table(Order.self)], migrator: AppDatabase.migrator))
/// struct OrderTests {
///     @Test func anOrderArrives() async throws {
///         let anna = try await Sandbox.current.device("anna")
///     }
/// }
/// ```
public struct SandboxTrait: SuiteTrait, TestTrait, TestScoping {
    private let make: @Sendable () async throws -> Sandbox

    init(make: @escaping @Sendable () async throws -> Sandbox) { self.make = make }

    /// Also for the tests of suites inside the suite.
    public var isRecursive: Bool { true }

    /// Makes the sandbox, runs the test in it, and stops the replicas that the test started.
    public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let sandbox = try await make()
        let result = await Sandbox.$scoped.withValue(sandbox) {
            do { return Result<Void, any Error>.success(try await function()) } catch {
                return .failure(error)
            }
        }
        for device in sandbox.devices { await device.replica.stop() }
        try result.get()
    }
}

extension Trait where Self == SandboxTrait {
    /// A sandbox for each test; ``MoorageSandbox/Sandbox/current`` is it.
    ///
    /// - Parameters:
    ///   - tables: The tables that devices sync.
    ///   - migrator: The app's migrations.
    ///   - configuration: How the hub merges, and who may do what.
    public static func sandbox(
        tables: [ReplicaTable], migrator: DatabaseMigrator,
        configuration: HubConfiguration = HubConfiguration()
    ) -> Self {
        sandbox {
            try await Sandbox(tables: tables, migrator: migrator, configuration: configuration)
        }
    }

    /// The same, as the closure makes it: with devices, or with rows in the central database.
    ///
    /// - Parameter make: Called before each test. What it throws fails the test.
    public static func sandbox(_ make: @escaping @Sendable () async throws -> Sandbox) -> Self {
        SandboxTrait(make: make)
    }
}
