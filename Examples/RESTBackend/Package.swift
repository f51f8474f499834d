// swift-tools-version: 6.2
import PackageDescription

// An app of its own says `.package(url: "…/moorage", from: "0.1.0")`. Here the package is two
// folders up, and goes by the name of that folder.
let folders = Context.packageDirectory.split(separator: "/")
let moorage = folders.dropLast(2).last.map(String.init) ?? "moorage"

let package = Package(
    name: "RESTBackend",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "restbackend",
            dependencies: [
                .product(name: "Moorage", package: moorage),
                .product(name: "MoorageRESTHub", package: moorage),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Sources/RESTBackend")
    ],
    swiftLanguageModes: [.v6]
)
