#if Server
    import ArgumentParser
    import Foundation
    import MoorageConfiguration
    import TestSupport
    import Testing

    @testable import MoorageCLI

    /// What README.md and the guides show is compiled, read or run.
    @Suite(.ownThreads) struct `The blocks of the guides` {
        private static let known: Set = [
            "swift", "swift package", "sh", "yaml", "sql", "text", "ini",
        ]

        @Test func `are there, in languages that are checked`() {
            let blocks = PageBlock.all()
            #expect(blocks.count > 20)
            #expect(blocks.filter { !Self.known.contains($0.language) }.map(\.description) == [])
        }

        // MARK: Swift

        /// The parts of a block between blank lines, each without its indentation.
        private static func parts(_ lines: [String]) -> [[String]] {
            lines.split { $0.allSatisfy(\.isWhitespace) }.map { part in
                part.map { $0.trimmingCharacters(in: .whitespaces) }
            }
        }

        /// Where the blocks are compiled. Those about tests also run there.
        private static let snippets = [
            "Tests/MoorageCLITests/Guides/AppSnippets.swift",
            "Tests/MoorageCLITests/Guides/MovingSnippets.swift",
            "Tests/MoorageCLITests/Guides/ValueSnippets.swift",
            "Tests/MoorageRESTHubTests/RESTGuide.swift",
            "Tests/MoorageTestKitTests/TestingGuide.swift",
        ]

        @Test(arguments: PageBlock.all("swift"))
        func `of Swift are compiled`(block: PageBlock) throws {
            let source = try Self.snippets.map(Repository.text).joined(separator: "\n")
                .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            for part in Self.parts(block.lines) {
                #expect(
                    source.firstRange(of: part) != nil,
                    "\(block): no snippet has \"\(part[0])\" …")
            }
        }

        /// The packages of an app: Scripts/check-traits builds one with the same line.
        @Test(arguments: PageBlock.all("swift package"))
        func `of manifests take the client without its server`(block: PageBlock) {
            #expect(!block.text.contains("traits:"), "\(block)")
        }

        // MARK: YAML

        @Test(arguments: PageBlock.all("yaml"))
        func `of YAML are configurations`(block: PageBlock) throws {
            var text = block.text
            // A part of a configuration names no kinds of scopes: the part above it does.
            if text.contains("employee: employee_id"), !text.contains("scopes:") {
                text = "scopes: {employee: claims.employee_id}\n" + text
            }
            _ = try MoorageConfiguration.parse(
                text, file: "moorage.yaml",
                environment: [
                    "PASSWORD": "p", "MOORAGE_SECRET": "0123456789abcdef",
                    "TOKEN_SECRET": "a secret of thirty-two bytes or more",
                    "WEBHOOK_SECRET": "another one of thirty-two bytes or more",
                ])
        }

        // MARK: Shell

        private static let shellLines: [(block: PageBlock, line: String)] =
            PageBlock.all("sh").flatMap { block in block.lines.map { (block, $0) } }

        /// Programs that are not ours.
        private static let others: Set = ["cd", "export", "kill", "sleep", "sqlite3", "swift"]

        @Test func `of the shell name commands and options that there are`() throws {
            var commands = 0
            for (block, line) in Self.shellLines {
                let words = ShellLine(line).words
                guard let program = words.first, !Self.others.contains(program) else { continue }
                if program.hasPrefix("Scripts/") || program.hasPrefix(".ci/") {
                    let file = Repository.root.appending(path: program).path
                    #expect(FileManager.default.isExecutableFile(atPath: file), "\(block): \(line)")
                } else if program == "moorage" {
                    let arguments = words.dropFirst().map {
                        $0.replacing("$DATABASE", with: "sqlite:shop.db")
                    }
                    #expect(throws: Never.self, "\(block): \(line)") {
                        _ = try MoorageCommand.parseAsRoot(arguments)
                    }
                    commands += 1
                } else if !program.hasPrefix(".build/") {
                    Issue.record("\(block): no test knows the program \(program)")
                }
            }
            #expect(commands > 30)
        }

        /// An interactive zsh takes a comment for arguments.
        @Test func `of the first page have no comments`() {
            let lines = PageBlock.all("sh").filter { $0.page == "README.md" }.flatMap(\.lines)
            #expect(lines.count > 10)
            #expect(lines.filter { $0.contains("#") } == [])
        }

        @Test func `of the shell are read as a shell reads them`() {
            #expect(ShellLine("A=1 moorage sync a.db  # now").words == ["moorage", "sync", "a.db"])
            #expect(ShellLine("moorage serve 'a b' --listen x &").words.last == "x")
            #expect(ShellLine("echo '# no' \"a b\"").words == ["echo", "# no", "a b"])
            #expect(ShellLine("moorage token --claim a=5").words.last == "a=5")
            #expect(ShellLine("# only a comment").words == [])
            #expect(ShellLine("A=$(moorage token)").words == ["moorage", "token"])
        }
    }
#endif
