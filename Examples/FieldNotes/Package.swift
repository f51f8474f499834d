// swift-tools-version: 6.2
import PackageDescription

// An app of its own says `.package(url: "…/moorage", from: "0.1.0")`. Here the package is two
// folders up, and goes by the name of that folder.
let folders = Context.packageDirectory.split(separator: "/")
let moorage = folders.dropLast(2).last.map(String.init) ?? "moorage"

let client: [Target.Dependency] = [
    .product(name: "Moorage", package: moorage),
    .product(name: "MoorageUI", package: moorage),
    .product(name: "GRDB", package: "GRDB.swift"),
]

let package = Package(
    name: "FieldNotes",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [.library(name: "FieldNotesModel", targets: ["FieldNotesModel"])],
    dependencies: [
        .package(path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .target(name: "FieldNotesModel", dependencies: client),
        .executableTarget(name: "fieldnotes", dependencies: ["FieldNotesModel"] + client),
        .executableTarget(name: "FieldNotesApp", dependencies: ["FieldNotesModel"] + client),
        .testTarget(
            name: "FieldNotesModelTests",
            dependencies: [
                "FieldNotesModel", .product(name: "MoorageTestKit", package: moorage),
            ] + client),
    ],
    swiftLanguageModes: [.v6]
)
