import Foundation
import PackagePlugin

/// Makes records of each schema file of a target, when the target is built (docs/guides/models.md).
///
/// A schema file is called `moorage.schema.json`, or ends with `.schema.json`.
@main
struct MoorageModels: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target.sourceModule else { return [] }
        let generator = try context.tool(named: "moorage-generate").url
        return target.sourceFiles.map(\.url).filter(Self.isSchema).map {
            Self.command($0, generator, context.pluginWorkDirectoryURL)
        }
    }

    fileprivate static func isSchema(_ file: URL) -> Bool {
        file.lastPathComponent.hasSuffix(".schema.json")
    }

    fileprivate static func command(_ file: URL, _ generator: URL, _ folder: URL) -> Command {
        let name = file.lastPathComponent.dropLast(".schema.json".count)
        // Two folders of a target may have a file of one name.
        let parent = file.deletingLastPathComponent().lastPathComponent
        let output = folder.appending(path: "\(parent)-\(name)-models.swift")
        return .buildCommand(
            displayName: "Making records from \(file.lastPathComponent)", executable: generator,
            arguments: [file.path, output.path], inputFiles: [file], outputFiles: [output])
    }
}

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin

    extension MoorageModels: XcodeBuildToolPlugin {
        func createBuildCommands(
            context: XcodePluginContext, target: XcodeTarget
        ) throws -> [Command] {
            let generator = try context.tool(named: "moorage-generate").url
            return target.inputFiles.map(\.url).filter(Self.isSchema).map {
                Self.command($0, generator, context.pluginWorkDirectoryURL)
            }
        }
    }
#endif
