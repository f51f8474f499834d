// swift-tools-version: 6.2
import PackageDescription

// Our scripts set MOORAGE_STRICT=1, which makes each of our warnings an error. Apps that depend on
// us never see it.
let strict: [SwiftSetting] =
    Context.environment["MOORAGE_STRICT"] == "1" ? [.treatAllWarnings(as: .error)] : []

// MOORAGE_PLANTED=1 builds a copy of the sources with planted bugs, which Scripts/plant makes. The
// scripts that test set it. No app and no release does (docs/development/testing.md, Planted bugs).
let isPlanted = Context.environment["MOORAGE_PLANTED"] == "1"
let planted: [SwiftSetting] = isPlanted ? [.define("PLANTED_BUGS")] : []
func sources(_ target: String) -> String? {
    isPlanted ? ".build/planted-sources/\(target)" : nil
}

// With MOORAGE_LEAN=1, as .ci/run sets it, our own libraries are also optimized in debug builds.
// Each is optimized as a whole, and keeps its assertions (decision 0084). Where a library is in no
// hot loop, optimizing it takes longer than it saves (decision 0107).
let unoptimized: Set = [
    "MoorageAsyncHTTP", "MoorageConfiguration", "MoorageGenerator", "MoorageLoad", "MoorageMySQL",
    "MooragePostgres", "MoorageRESTHub", "MoorageServer", "MoorageTestKit", "MoorageUI",
    "NorthwindSample", "TestSupport",
]
let lean: [SwiftSetting] =
    Context.environment["MOORAGE_LEAN"] == "1"
    ? [
        .unsafeFlags(
            ["-O", "-wmo", "-num-threads", "2", "-assert-config", "Debug"],
            .when(configuration: .debug))
    ] : []

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + strict + planted

// Everything that is not for an app on a device needs the trait `Server`.
let server: TargetDependencyCondition? = .when(traits: ["Server"])
let tools: TargetDependencyCondition? = .when(traits: ["Server", "Tools"])
// Windows has no zlib of its own: messages are not compressed there.
let withZlib: TargetDependencyCondition? = .when(platforms: [
    .macOS, .iOS, .tvOS, .watchOS, .visionOS, .macCatalyst, .linux, .android,
])
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

let package = Package(
    name: "moorage",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .library(name: "Moorage", targets: ["Moorage"]),
        .library(name: "MoorageUI", targets: ["MoorageUI"]),
        .library(name: "MoorageRESTHub", targets: ["MoorageRESTHub"]),
        .library(name: "MoorageHub", targets: ["MoorageHub", "MoorageCore", "MoorageWire"]),
        .library(name: "MoorageSQLite", targets: ["MoorageSQLite"]),
        .library(name: "MooragePostgres", targets: ["MooragePostgres"]),
        .library(name: "MoorageMySQL", targets: ["MoorageMySQL"]),
        .library(name: "MoorageServer", targets: ["MoorageServer", "MoorageWire"]),
        .library(name: "MoorageAsyncHTTP", targets: ["MoorageAsyncHTTP"]),
        .library(name: "MoorageSandbox", targets: ["MoorageSandbox"]),
        .library(name: "MoorageTestKit", targets: ["MoorageTestKit"]),
        .library(name: "MoorageTesting", targets: ["MoorageTesting"]),
        .plugin(name: "MoorageModels", targets: ["MoorageModels"]),
        .executable(name: "moorage", targets: ["MoorageCLI"]),
        .executable(name: "moorage-dev", targets: ["MoorageDev"]),
    ],
    traits: [
        .trait(
            name: "Server",
            description: "The server and the command line. An app needs neither."
        ),
        .trait(
            name: "Tools",
            description: "The simulator, for builds without the server: Scripts/support/tools.sh."),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        // The targets from the inside out: none depends on one further out (ARCHITECTURE.md).
        .target(name: "MoorageCore", path: sources("MoorageCore"), swiftSettings: settings),
        // MoorageSupport: a lock, and durations and dates as numbers. SQLiteSupport: names, types
        // and statements of SQLite. Both are internal.
        .target(name: "MoorageSupport", dependencies: ["MoorageCore"], swiftSettings: settings),
        .target(
            name: "SQLiteSupport", dependencies: ["MoorageCore", grdbSQLite],
            swiftSettings: settings),
        // The zlib of the system that the app is built for. A library that pkg-config finds would be
        // the desktop's, also in a build for a phone.
        .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),
        .target(
            name: "MoorageWire",
            dependencies: [
                "MoorageCore", "MoorageSupport", .target(name: "CZlib", condition: withZlib),
            ],
            swiftSettings: settings),
        .target(
            name: "Moorage",
            dependencies: [
                "MoorageCore", "MoorageWire", "MoorageSupport", "SQLiteSupport", grdb, grdbSQLite,
                logging,
            ],
            path: sources("Moorage"), swiftSettings: settings),
        // Models of screens on every platform, and SwiftUI views where there is SwiftUI.
        .target(
            name: "MoorageUI", dependencies: ["Moorage", "MoorageSupport", grdb],
            swiftSettings: settings),
        // A REST API that exists, in the place of a hub.
        .target(
            name: "MoorageRESTHub",
            dependencies: ["Moorage", "MoorageWire", "MoorageCore", "MoorageSupport", grdb],
            swiftSettings: settings),
        .target(
            name: "MoorageHub",
            dependencies: ["MoorageCore", "MoorageWire", "MoorageSupport", logging],
            path: sources("MoorageHub"), swiftSettings: settings),
        // Plain HTTP about the rows of synced tables: a request in, an answer out.
        .target(
            name: "MoorageREST",
            dependencies: ["MoorageHub", "MoorageWire", "MoorageCore", "MoorageSupport"],
            swiftSettings: settings),
        .target(
            name: "MoorageSQLite",
            dependencies: [
                "MoorageHub", "MoorageCore", "MoorageSupport", "SQLiteSupport", grdb, grdbSQLite,
            ],
            path: sources("MoorageSQLite"), swiftSettings: settings),
        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "MooragePostgres",
            dependencies: ["MoorageHub", "MoorageCore", "MoorageSupport", "CPostgres"],
            swiftSettings: settings),
        .systemLibrary(
            name: "CMariaDB", pkgConfig: "libmariadb",
            providers: [.apt(["libmariadb-dev"]), .brew(["mariadb-connector-c"])]),
        .target(
            name: "MoorageMySQL",
            dependencies: ["MoorageHub", "MoorageCore", "CMariaDB"],
            path: sources("MoorageMySQL"), swiftSettings: settings),
        .target(
            name: "MoorageServer",
            dependencies: [
                "MoorageHub", "MoorageREST", "MoorageWire", "MoorageCore", "MoorageSupport",
                logging,
                .product(name: "Crypto", package: "swift-crypto", condition: server),
                .product(name: "Hummingbird", package: "hummingbird", condition: server),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: server),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: server),
                .product(name: "NIOPosix", package: "swift-nio", condition: server),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: server),
                .product(name: "JWTKit", package: "jwt-kit", condition: server),
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client", condition: server),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
            ],
            swiftSettings: settings),
        .target(
            name: "MoorageAsyncHTTP",
            dependencies: [
                "Moorage", "MoorageWire",
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client", condition: server),
                .product(name: "Crypto", package: "swift-crypto", condition: server),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: server),
                .product(name: "NIOPosix", package: "swift-nio", condition: server),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: server),
            ],
            swiftSettings: settings),
        // A hub and devices in memory, for tests and previews of an app. It imports no Testing, which
        // an app cannot link.
        .target(
            name: "MoorageSandbox",
            dependencies: [
                "Moorage", "MoorageHub", "MoorageSQLite", "MoorageWire", "MoorageCore",
                "MoorageSupport", grdb,
            ],
            swiftSettings: settings),
        // The trait for Swift Testing that gives each test a sandbox.
        .target(
            name: "MoorageTestKit",
            dependencies: ["MoorageSandbox", "Moorage", "MoorageHub", grdb],
            swiftSettings: settings),
        // The disk of the tests: a VFS for the SQLite that GRDB uses. No app links it.
        .target(name: "CSimulatedDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "MoorageTesting",
            dependencies: [
                "Moorage", "MoorageHub", "MoorageSQLite", "MoorageWire", "MoorageCore",
                "MoorageSupport",
                "CSimulatedDisk", grdb, grdbSQLite, logging,
            ],
            swiftSettings: settings),
        // Makes rows in the shape of the Northwind sample from a seed: for the demo, the tests and
        // the benchmarks.
        .target(name: "NorthwindSample", dependencies: ["MoorageCore"], swiftSettings: settings),
        // What `moorage` and `moorage-dev` share: moorage.yaml, addresses, options and failures.
        .target(
            name: "MoorageConfiguration",
            dependencies: [
                "Moorage", "MoorageHub", "MoorageServer", "MoorageAsyncHTTP", "MoorageWire",
                "MoorageCore", "MoorageSupport",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: server),
                .product(name: "Yams", package: "Yams", condition: server),
            ],
            swiftSettings: settings),
        // Swift records and tables from a schema file. The plugin runs the generator in an app's
        // build, so it depends on nothing but our own modules.
        .target(
            name: "MoorageGenerator", dependencies: ["MoorageCore", "MoorageWire"],
            swiftSettings: settings),
        .executableTarget(
            name: "moorage-generate", dependencies: ["MoorageGenerator", "MoorageWire"],
            path: "Sources/MoorageGenerate", swiftSettings: settings),
        .plugin(
            name: "MoorageModels", capability: .buildTool(), dependencies: ["moorage-generate"]),
        .executableTarget(
            name: "MoorageCLI",
            dependencies: [
                "MoorageConfiguration", "MoorageGenerator", "NorthwindSample", "Moorage",
                "MoorageHub", "MoorageREST",
                "MoorageSQLite", "MooragePostgres", "MoorageMySQL", "MoorageServer",
                "MoorageAsyncHTTP", "MoorageWire", "MoorageCore", "MoorageSupport", "SQLiteSupport",
                grdb, logging,
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: server),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
                .product(
                    name: "UnixSignals", package: "swift-service-lifecycle", condition: server),
            ],
            swiftSettings: settings),
        // The load generator: devices without databases, which put load on a server.
        .target(
            name: "MoorageLoad",
            dependencies: [
                "MoorageConfiguration", "Moorage", "MoorageAsyncHTTP", "MoorageTesting",
                "MoorageWire", "MoorageCore", "MoorageSupport",
            ],
            swiftSettings: settings),
        // Runs simulated histories, also without the server, and the load generator.
        .executableTarget(
            name: "MoorageDev",
            dependencies: [
                "MoorageTesting", "MoorageLoad", "MoorageConfiguration",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
                .product(
                    name: "UnixSignals", package: "swift-service-lifecycle", condition: server),
            ],
            swiftSettings: settings),
        // The example of a webhook's receiver. It depends on no module of ours, as a receiver in
        // another language would. It is a target here, and not a package, so that its tests can
        // send it the webhook of a real hub.
        .executableTarget(
            name: "PushRelay",
            dependencies: [
                logging,
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client", condition: server),
                .product(name: "Crypto", package: "swift-crypto", condition: server),
                .product(name: "Hummingbird", package: "hummingbird", condition: server),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: server),
                .product(name: "JWTKit", package: "jwt-kit", condition: server),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: server),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
                .product(
                    name: "UnixSignals", package: "swift-service-lifecycle", condition: server),
            ],
            path: "Examples/PushRelay/Sources", swiftSettings: settings),
        // Replaces malloc in the benchmarks' process.
        .target(name: "CAllocationCount"),
        .executableTarget(
            name: "MoorageBenchmarks",
            dependencies: [
                "CAllocationCount", "Moorage", "MoorageHub", "MoorageSQLite", "MooragePostgres",
                "MoorageMySQL", "MoorageREST", "MoorageServer", "MoorageAsyncHTTP",
                "MoorageTesting",
                "MoorageWire",
                "MoorageCore", "MoorageSupport", "CPostgres", "CMariaDB", grdb, grdbSQLite, logging,
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
                .product(
                    name: "UnixSignals", package: "swift-service-lifecycle", condition: server),
            ],
            swiftSettings: settings),

        // Traits and waiting for all tests, and the program that reports on a test run.
        .target(
            name: "TestSupport", dependencies: [logging], path: "Tests/TestSupport",
            swiftSettings: settings),
        .executableTarget(
            name: "TestReport", path: "Tests/TestReport", swiftSettings: settings),
        // The program that reports on the public API.
        .executableTarget(
            name: "APIReport", path: "Tests/APIReport", swiftSettings: settings),
        // Test targets mirror the source targets. Integration has the tests that need several of
        // them and real processes.
        .testTarget(
            name: "MoorageCoreTests",
            dependencies: [
                "TestSupport", "MoorageCore", "MoorageTesting",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageWireTests",
            dependencies: [
                "TestSupport", "MoorageWire", "MoorageCore", "MoorageTesting",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageGeneratorTests",
            dependencies: [
                "TestSupport", "MoorageGenerator", "Moorage", "MoorageWire", "MoorageCore",
                "MoorageTesting", grdb,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "NorthwindSampleTests",
            dependencies: [
                "TestSupport", "NorthwindSample", "MoorageCore",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageTests",
            dependencies: [
                "TestSupport", "Moorage", "MoorageWire", "MoorageCore", "MoorageHub",
                "MoorageSQLite",
                "MoorageSupport", "MoorageTesting", "SQLiteSupport", grdb, grdbSQLite, logging,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageUITests",
            dependencies: [
                "TestSupport", "MoorageUI", "Moorage", "MoorageHub", "MoorageSQLite",
                "MoorageCore", grdb,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageRESTHubTests",
            dependencies: [
                "TestSupport", "MoorageRESTHub", "Moorage", "MoorageREST", "MoorageHub",
                "MoorageSQLite", "MoorageCore", "MoorageSupport", grdb, logging,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageTestKitTests",
            dependencies: [
                "TestSupport", "MoorageTestKit", "MoorageSandbox", "Moorage", "MoorageHub",
                "MoorageCore", "MoorageSupport", grdb,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageTestingTests",
            dependencies: [
                "TestSupport", "MoorageTesting", "MoorageCore", grdb, grdbSQLite,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageHubTests",
            dependencies: [
                "TestSupport", "MoorageHub", "MoorageSQLite", "MoorageTesting", "Moorage",
                "MoorageWire",
                "MoorageCore", "MoorageSupport", grdb, grdbSQLite, logging,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageRESTTests",
            dependencies: [
                "TestSupport", "MoorageREST", "MoorageHub", "MoorageSQLite", "MoorageWire",
                "MoorageCore", grdb, logging,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageSQLiteTests",
            dependencies: [
                "TestSupport", "MoorageSQLite", "MoorageTesting", "MoorageHub", "MoorageCore", grdb,
                grdbSQLite,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MooragePostgresTests",
            dependencies: [
                "TestSupport", "MooragePostgres", "CPostgres", "MoorageTesting", "MoorageHub",
                "MoorageWire",
                "MoorageCore", "MoorageSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageMySQLTests",
            dependencies: [
                "TestSupport", "MoorageMySQL", "Moorage", "MoorageTesting", "MoorageHub",
                "MoorageWire",
                "MoorageCore", grdb,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageServerTests",
            dependencies: [
                "TestSupport", "MoorageServer", "MoorageAsyncHTTP", "Moorage", "MoorageHub",
                "MoorageSQLite",
                "MoorageTesting", "MoorageWire", "MoorageCore", "MoorageSupport", "PushRelay", grdb,
                logging,
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client", condition: server),
                .product(name: "Crypto", package: "swift-crypto", condition: server),
                .product(name: "Hummingbird", package: "hummingbird", condition: server),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: server),
                .product(name: "JWTKit", package: "jwt-kit", condition: server),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: server),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: server),
                .product(name: "NIOPosix", package: "swift-nio", condition: server),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageConfigurationTests",
            dependencies: [
                "TestSupport", "MoorageConfiguration", "MoorageServer", "MoorageHub",
                "MoorageWire", "MoorageCore",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageLoadTests",
            dependencies: [
                "TestSupport", "MoorageLoad", "MoorageConfiguration", "MoorageTesting",
                "MoorageWire", "MoorageCore",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageCLITests",
            dependencies: [
                "TestSupport", "MoorageCLI", "MoorageDev", "MoorageLoad", "MoorageConfiguration",
                "MoorageGenerator", "Moorage", "MoorageUI", "MoorageHub", "MoorageSQLite",
                "MoorageServer", "MoorageWire", "MoorageCore", grdb, logging,
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: server),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "TestSupport", "Moorage", "MoorageHub", "MoorageSQLite", "MoorageTesting",
                "MoorageDev",
                "MoorageWire", "MoorageCore", grdb,
            ],
            path: "Tests/Simulation",
            resources: [.copy("Corpus"), .copy("Planted")],
            swiftSettings: settings),
        // A device in its own process, for tests that end it in the middle.
        .executableTarget(
            name: "RestlessReplica", dependencies: ["Moorage", "MoorageWire", grdb],
            path: "Tests/RestlessReplica", swiftSettings: settings),
        .target(name: "CSpawn", dependencies: ["CSimulatedDisk"], path: "Tests/CSpawn"),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "TestSupport", "Moorage", "MoorageHub", "MoorageSQLite", "MooragePostgres",
                "MoorageMySQL",
                "MoorageREST", "MoorageRESTHub", "MoorageServer", "MoorageAsyncHTTP",
                "MoorageTesting", "MoorageCLI", "MoorageConfiguration", "MoorageGenerator",
                "MoorageWire",
                "MoorageCore", "MoorageSupport", "NorthwindSample", "RestlessReplica", "CPostgres",
                "CMariaDB",
                "CSpawn", grdb, grdbSQLite, logging,
            ],
            path: "Tests/Integration",
            resources: [.copy("Upgrade/Fixtures")],
            swiftSettings: settings),
        // Runs the inputs that the fuzzer kept. The fuzzer is the package in Fuzz.
        .testTarget(
            name: "FuzzingTests",
            dependencies: [
                "TestSupport", "Moorage", "MoorageHub", "MoorageSQLite", "MoorageTesting",
                "MoorageConfiguration",
                "MoorageWire", "MoorageCore", grdb, grdbSQLite,
            ],
            path: "Tests/Fuzzing", exclude: ["Driver"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets
where target.type == .regular && !unoptimized.contains(target.name) && !lean.isEmpty {
    target.swiftSettings? += lean
}
