import Foundation
import MoorageTesting

/// What a fuzzing run begins with: inputs from seeds, and a dictionary.
struct SeedInputs {
    private let target: FuzzTarget

    init(_ target: FuzzTarget) { self.target = target }

    func writeSeeds(to folder: String, count: UInt64) throws {
        let folder = URL(filePath: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for seed in 0..<count {
            var random = SeededGenerator(seed: seed)
            try Data(target.seed(&random)).write(to: folder.appending(path: "seed-\(seed)"))
        }
    }

    /// libFuzzer's dictionary: one word a line, in quotes, bytes escaped.
    func writeWords(to file: String) throws {
        let lines = target.words.filter { !$0.isEmpty }.map { word in
            let escaped = word.utf8.map { byte in
                let isPlain = (0x20..<0x7F).contains(byte) && byte != 0x22 && byte != 0x5C
                let digits = String(byte, radix: 16)
                return isPlain
                    ? String(UnicodeScalar(byte)) : "\\x" + (digits.count == 1 ? "0" : "") + digits
            }
            return "\"\(escaped.joined())\"\n"
        }
        try Data(lines.joined().utf8).write(to: URL(filePath: file))
    }
}
