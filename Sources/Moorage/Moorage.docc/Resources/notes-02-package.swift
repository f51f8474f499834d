// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Notes",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../moorage"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "Notes",
            dependencies: [
                .product(name: "Moorage", package: "moorage"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ])
    ]
)
