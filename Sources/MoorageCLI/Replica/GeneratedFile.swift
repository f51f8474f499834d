#if Server
    import Foundation
    import MoorageConfiguration
    import MoorageWire

    /// A text file that commands make and compare: a schema file, or generated source.
    struct GeneratedFile {
        let path: String

        private var exists: Bool { FileManager.default.fileExists(atPath: path) }

        func read() throws(CommandFailure) -> [UInt8] {
            let bytes: Data
            do {
                let file = try FileHandle(forReadingFrom: URL(filePath: path))
                // One byte more tells that the file is too large.
                bytes = try file.read(upToCount: SchemaFile.maximumBytes + 1) ?? Data()
            } catch {
                throw CommandFailure.unreadableFile(path)
            }
            guard bytes.count <= SchemaFile.maximumBytes else {
                throw CommandFailure.unreadableFile(path)
            }
            return Array(bytes)
        }

        /// The tables of a schema file.
        func schema() throws(CommandFailure) -> SchemaFile {
            guard exists else { throw CommandFailure.noSchemaFile(path) }
            let bytes = try read()
            do {
                return try SchemaFile(decoding: bytes)
            } catch {
                throw CommandFailure.unusableSchema(error.message, at: path)
            }
        }

        /// Replaces the file at once, so that nobody reads a part of it. A file that has these
        /// bytes already stays as it is: build tools go by its time.
        func write(_ bytes: [UInt8], _ console: Console) throws(CommandFailure) {
            if exists, try read() == bytes { return console.print("unchanged  \(path)") }
            do {
                try Data(bytes).write(to: URL(filePath: path), options: .atomic)
            } catch {
                throw CommandFailure.unwritableFile(path)
            }
            console.print("wrote  \(path)")
        }
    }
#endif
