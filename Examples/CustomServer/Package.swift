// swift-tools-version: 6.2
import PackageDescription

// A server of its own says `.package(url: "…/moorage", from: "0.1.0", traits: ["Server"])`. Here the package is two folders
// up, and goes by the name of that folder.
let folders = Context.packageDirectory.split(separator: "/")
let moorage = folders.dropLast(2).last.map(String.init) ?? "moorage"

let package = Package(
    name: "CustomServer",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../..", traits: ["Server"]),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .executableTarget(
            name: "custom-server",
            dependencies: [
                .product(name: "MoorageServer", package: moorage),
                .product(name: "MoorageHub", package: moorage),
                .product(name: "MoorageSQLite", package: moorage),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/CustomServer")
    ],
    swiftLanguageModes: [.v6]
)
