import Foundation
import MoorageGenerator
import MoorageWire

// The build plugin `MoorageModels` runs it: moorage-generate SCHEMA OUTPUT.
// The command line has the same as `moorage generate swift`.

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("moorage-generate: error: \(message)\n".utf8))
    exit(1)
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else { fail("Call it as: moorage-generate SCHEMA OUTPUT") }
let size = try? FileManager.default.attributesOfItem(atPath: arguments[1])[.size] as? Int
guard let size, size <= SchemaFile.maximumBytes,
    let bytes = FileManager.default.contents(atPath: arguments[1])
else {
    fail("\(arguments[1]) cannot be read, or has more than \(SchemaFile.maximumBytes >> 20) MB.")
}
do throws(HubError) {
    let source = try SchemaFile(decoding: Array(bytes)).swiftModels()
    do {
        try Data(source.utf8).write(to: URL(filePath: arguments[2]), options: .atomic)
    } catch {
        fail("\(arguments[2]) cannot be written.")
    }
} catch {
    fail("\(arguments[1]): \(error.message)")
}
