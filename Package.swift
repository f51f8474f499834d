// swift-tools-version: 6.2
import PackageDescription

// Our scripts set MOORAGE_STRICT=1: a warning of ours is then an error. Apps that depend on us never see it.
let strict: [SwiftSetting] =
    Context.environment["MOORAGE_STRICT"] == "1" ? [.treatAllWarnings(as: .error)] : []

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + strict

// Everything that is not for an app on a device stands behind the trait `Server`.
let server: TargetDependencyCondition? = .when(traits: ["Server"])
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

let package = Package(
    name: "moorage",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        // Core and Wire show in its API: an app may name their types.
        .library(name: "Moorage", targets: ["Moorage", "MoorageCore", "MoorageWire"]),
        .library(name: "MoorageHub", targets: ["MoorageHub"]),
        .library(name: "MoorageSQLite", targets: ["MoorageSQLite"]),
        .library(name: "MooragePostgres", targets: ["MooragePostgres"]),
        .library(name: "MoorageServer", targets: ["MoorageServer"]),
        .library(name: "MoorageTesting", targets: ["MoorageTesting"]),
        .executable(name: "moorage", targets: ["MoorageCLI"]),
    ],
    traits: [
        .trait(
            name: "Server",
            description:
                "The server and the command line. An app that only holds a replica says traits: []."
        ),
        .default(enabledTraits: ["Server"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // The one contract, from the inside out; an arrow never points outwards (docs/design.md, 3).
        .target(name: "MoorageCore", swiftSettings: settings),
        .target(name: "MoorageWire", dependencies: ["MoorageCore"], swiftSettings: settings),
        .target(
            name: "Moorage",
            dependencies: ["MoorageCore", "MoorageWire", grdb, grdbSQLite, logging],
            swiftSettings: settings),
        .target(
            name: "MoorageHub", dependencies: ["MoorageCore", "MoorageWire", logging],
            swiftSettings: settings),
        .target(
            name: "MoorageSQLite",
            dependencies: ["MoorageHub", "MoorageCore", grdb, grdbSQLite],
            swiftSettings: settings),
        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "MooragePostgres",
            dependencies: ["MoorageHub", "MoorageCore", "CPostgres"],
            swiftSettings: settings),
        .target(
            name: "MoorageServer",
            dependencies: [
                "MoorageHub", "MoorageWire", "MoorageCore", logging,
                .product(name: "Hummingbird", package: "hummingbird", condition: server),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: server),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
            ],
            swiftSettings: settings),
        .target(
            name: "MoorageTesting",
            dependencies: [
                "Moorage", "MoorageHub", "MoorageSQLite", "MoorageWire", "MoorageCore", grdb,
            ],
            swiftSettings: settings),
        // Rows in the shape of the Northwind sample, from a seed: for the demo, the tests and the benchmarks.
        .target(name: "NorthwindSample", dependencies: ["MoorageCore"], swiftSettings: settings),
        .executableTarget(
            name: "MoorageCLI",
            dependencies: [
                "NorthwindSample", "Moorage", "MoorageHub", "MoorageSQLite", "MooragePostgres",
                "MoorageServer",
                "MoorageWire", "MoorageCore", grdb, logging,
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: server),
                .product(name: "Yams", package: "Yams", condition: server),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
                .product(
                    name: "UnixSignals", package: "swift-service-lifecycle", condition: server),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "MoorageBenchmarks",
            dependencies: [
                "Moorage", "MoorageHub", "MoorageSQLite", "MooragePostgres", "MoorageServer",
                "MoorageWire", "MoorageCore", "CPostgres", grdb, grdbSQLite, logging,
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
                .product(
                    name: "UnixSignals", package: "swift-service-lifecycle", condition: server),
            ],
            swiftSettings: settings),

        // Tests mirror the sources; Integration has what needs several of them and real processes.
        .testTarget(
            name: "MoorageCoreTests", dependencies: ["MoorageCore"], swiftSettings: settings),
        .testTarget(
            name: "MoorageWireTests", dependencies: ["MoorageWire", "MoorageCore"],
            swiftSettings: settings),
        .testTarget(
            name: "NorthwindSampleTests", dependencies: ["NorthwindSample", "MoorageCore"],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageTests",
            dependencies: [
                "Moorage", "MoorageWire", "MoorageCore", "MoorageHub", "MoorageSQLite",
                "MoorageTesting", grdb,
                grdbSQLite,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageHubTests",
            dependencies: [
                "MoorageHub", "MoorageSQLite", "MoorageTesting", "Moorage", "MoorageWire",
                "MoorageCore", grdb,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageSQLiteTests",
            dependencies: ["MoorageSQLite", "MoorageTesting", "MoorageHub", "MoorageCore", grdb],
            swiftSettings: settings),
        .testTarget(
            name: "MooragePostgresTests",
            dependencies: [
                "MooragePostgres", "CPostgres", "MoorageTesting", "MoorageHub", "MoorageCore",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageServerTests",
            dependencies: [
                "MoorageServer", "Moorage", "MoorageHub", "MoorageSQLite", "MoorageTesting",
                "MoorageWire",
                "MoorageCore", grdb, logging,
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoorageCLITests",
            dependencies: [
                "MoorageCLI", "Moorage", "MoorageHub", "MoorageSQLite", "MoorageServer",
                "MoorageWire", "MoorageCore", grdb,
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: server),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "Moorage", "MoorageHub", "MoorageSQLite", "MoorageTesting", "MoorageWire",
                "MoorageCore",
                grdb,
            ],
            path: "Tests/Simulation",
            swiftSettings: settings),
        // A device in a process of its own, for tests that end it in the middle.
        .executableTarget(
            name: "RestlessReplica", dependencies: ["Moorage", "MoorageWire", grdb],
            path: "Tests/RestlessReplica", swiftSettings: settings),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Moorage", "MoorageHub", "MoorageSQLite", "MooragePostgres", "MoorageServer",
                "MoorageTesting", "MoorageCLI", "MoorageWire", "MoorageCore", "NorthwindSample",
                "RestlessReplica", "CPostgres", grdb, grdbSQLite, logging,
            ],
            path: "Tests/Integration",
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
