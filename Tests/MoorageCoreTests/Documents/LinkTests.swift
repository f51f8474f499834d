import Foundation
import TestSupport
import Testing

/// The links of the pages to other files of the repository.
@Suite(.ownThreads) struct `The links of the pages` {
    private struct Page {
        let path: String
        let folder: URL
        let links: [String]
        let anchors: Set<String>

        init(_ path: String) throws {
            self.path = path
            let url = Repository.root.appending(path: path)
            folder = url.deletingLastPathComponent()
            var (links, anchors): ([String], Set<String>) = ([], [])
            var isCode = false
            for line in try Repository.text(path).split(separator: "\n") {
                if line.trimmingPrefix(while: \.isWhitespace).hasPrefix("```") { isCode.toggle() }
                if isCode { continue }
                if line.hasPrefix("#") { anchors.insert(Self.anchor(String(line), among: anchors)) }
                // A link may be the rest of one that began in the line above.
                links += line.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
            }
            (self.links, self.anchors) = (links, anchors)
        }

        /// The anchor of a heading; a second one of the same text gets a number.
        private static func anchor(_ heading: String, among others: Set<String>) -> String {
            let text = heading.trimmingPrefix(while: { $0 == "#" || $0 == " " }).lowercased()
            let slug = String(
                text.compactMap { character -> Character? in
                    if character == " " { return "-" }
                    return character.isLetter || character.isNumber || "-_".contains(character)
                        ? character : nil
                })
            guard others.contains(slug) else { return slug }
            return (1...).lazy.map { "\(slug)-\($0)" }.first { !others.contains($0) } ?? slug
        }
    }

    private static let paths: [String] = {
        var paths = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
        for folder in ["docs", "Examples", "Clients"] {
            let names = FileManager.default.enumerator(
                atPath: Repository.root.appending(path: folder).path)
            for case let name as String in names ?? .init()
            where name.hasSuffix(".md") && !name.contains(".build") {
                paths.append("\(folder)/\(name)")
            }
        }
        return paths.sorted()
    }()

    @Test func `lead to files and headings that there are`() throws {
        let pages = try Self.paths.map(Page.init)
        let anchors = Dictionary(
            uniqueKeysWithValues: pages.map {
                (Repository.root.appending(path: $0.path).standardizedFileURL.path, $0.anchors)
            })
        var broken: [String] = []
        var count = 0
        for page in pages {
            for link in page.links where !link.hasPrefix("http") {
                count += 1
                let parts = link.split(separator: "#", omittingEmptySubsequences: false)
                let file =
                    parts[0].isEmpty
                    ? Repository.root.appending(path: page.path)
                    : page.folder.appending(path: String(parts[0]))
                let path = file.standardizedFileURL.path
                if !FileManager.default.fileExists(atPath: path) {
                    broken.append("\(page.path): \(link)")
                } else if parts.count > 1, anchors[path]?.contains(String(parts[1])) == false {
                    broken.append("\(page.path): no heading \(link)")
                }
            }
        }
        #expect(count > 200)
        #expect(broken == [])
    }

    // MARK: The index

    private static let index = "docs/llms.txt"

    /// The pages that have to be in the index.
    private static let listed = paths.filter {
        $0.hasPrefix("docs/guides/") || $0.hasPrefix("docs/reference/")
    }

    /// docs/llms.txt is for programs that look for a page: a title, a summary, and lists of links.
    @Test func `are all in the index, each once and with a line about it`() throws {
        let lines = try Repository.text(Self.index).split(separator: "\n").map(String.init)
        #expect(lines.first == "# Moorage")
        #expect(lines.dropFirst().first?.hasPrefix("> ") == true)
        let sections = try #require(lines.firstIndex { $0.hasPrefix("## ") })
        var found: [String] = []
        for line in lines[sections...] where !line.hasPrefix("## ") {
            let link = try #require(line.wholeMatch(of: /- \[[^\]]+\]\(([^)]+)\): .+/), "\(line)")
            found.append(String(link.1))
        }
        let folder = Repository.root.appending(path: "docs")
        let targets = found.map { folder.appending(path: $0).standardizedFileURL.path }
        #expect(Set(targets).count == targets.count)
        #expect(targets.filter { !FileManager.default.fileExists(atPath: $0) } == [])
        #expect(Self.listed.count > 20)
        let missing = Self.listed.filter { page in
            !targets.contains(Repository.root.appending(path: page).standardizedFileURL.path)
        }
        #expect(missing == [])
    }
}
