// swift-tools-version: 6.2
import PackageDescription

// The fuzzer and the code that it tries, built with libFuzzer and the address sanitizer. Links in
// `Sources` lead to the sources of the main package (decision 0088). `Scripts/fuzz` builds this.
let strict: [SwiftSetting] =
    Context.environment["MOORAGE_STRICT"] == "1" ? [.treatAllWarnings(as: .error)] : []

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        // The main package's trait, which the configuration needs.
        .define("Server"),
        .unsafeFlags(["-sanitize=fuzzer,address", "-O", "-assert-config", "Debug"]),
    ] + strict

let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

let package = Package(
    name: "MoorageFuzz",
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        .target(name: "MoorageCore", swiftSettings: settings),
        .target(name: "MoorageSupport", dependencies: ["MoorageCore"], swiftSettings: settings),
        .target(
            name: "SQLiteSupport", dependencies: ["MoorageCore", grdbSQLite],
            swiftSettings: settings),
        .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),
        .target(
            name: "MoorageWire", dependencies: ["MoorageCore", "MoorageSupport", "CZlib"],
            swiftSettings: settings),
        .target(
            name: "Moorage",
            dependencies: [
                "MoorageCore", "MoorageWire", "MoorageSupport", "SQLiteSupport", grdb, grdbSQLite,
                logging,
            ],
            swiftSettings: settings),
        .target(
            name: "MoorageHub",
            dependencies: ["MoorageCore", "MoorageWire", "MoorageSupport", logging],
            swiftSettings: settings),
        .target(
            name: "MoorageSQLite",
            dependencies: ["MoorageHub", "MoorageCore", "SQLiteSupport", grdb, grdbSQLite],
            swiftSettings: settings),
        // Of the server and of what its commands share, only the configuration: no network code.
        .target(
            name: "MoorageServer", dependencies: ["MoorageWire", "MoorageCore"],
            sources: [
                "Configuration/ListenAddress.swift", "Configuration/ServerLimits.swift",
                "Configuration/SharedSecret.swift", "SignIn/KeySetSource.swift",
                "SignIn/TokenAlgorithm.swift", "SignIn/TokenLimits.swift",
                "Configuration/AddressRange.swift", "TLS/TLSFiles.swift",
                "Errors/HubError+ServerStart.swift",
            ],
            swiftSettings: settings),
        .target(
            name: "MoorageConfiguration",
            dependencies: [
                "MoorageHub", "MoorageServer", "MoorageWire", "MoorageCore", "MoorageSupport",
                .product(name: "Yams", package: "Yams"),
            ],
            sources: [
                "Configuration", "Addresses/DatabaseAddress.swift",
                "Addresses/DatabaseSetting.swift", "Failure/CommandFailure.swift",
                "Failure/CommandFailure+Addresses.swift",
                "Failure/CommandFailure+Configuration.swift",
            ],
            swiftSettings: settings),
        .target(name: "CSimulatedDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "MoorageTesting",
            dependencies: [
                "Moorage", "MoorageHub", "MoorageSQLite", "MoorageWire", "MoorageCore",
                "MoorageSupport", "CSimulatedDisk", grdb, grdbSQLite, logging,
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "MoorageFuzz",
            dependencies: [
                "Moorage", "MoorageHub", "MoorageSQLite", "MoorageTesting",
                "MoorageConfiguration", "MoorageWire", "MoorageCore", grdb, grdbSQLite,
            ],
            exclude: ["CorpusTests.swift"],
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
    ],
    swiftLanguageModes: [.v6]
)
