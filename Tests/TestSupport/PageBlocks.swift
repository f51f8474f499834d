import Foundation

/// The fenced blocks of the pages that users read first.
public struct PageBlock: Sendable, CustomStringConvertible {
    /// The path from the repository's folder.
    public let page: String
    /// The first line of the block's text, counted from 1.
    public let line: Int
    public let language: String
    public let lines: [String]

    public var text: String { lines.joined(separator: "\n") }
    public var description: String { "\(page):\(line) (\(language))" }

    /// README.md, every page of docs/guides, and a page of settings that belongs to one of them.
    public static let pages: [String] = {
        let guides =
            (try? FileManager.default.contentsOfDirectory(
                atPath: Repository.root.appending(path: "docs/guides").path)) ?? []
        return ["README.md"] + guides.sorted().map { "docs/guides/\($0)" } + [
            "docs/reference/rest-settings.md"
        ]
    }()

    /// - Parameter language: The first word after the fence; `nil` for every block.
    public static func all(_ language: String? = nil) -> [PageBlock] {
        pages.flatMap(blocks).filter { language == nil || $0.language == language }
    }

    /// The blocks of one page; none where there is no such page.
    public static func blocks(of page: String) -> [PageBlock] {
        let text = (try? Repository.text(page)) ?? ""
        var blocks: [PageBlock] = []
        var open: (language: String, line: Int, lines: [String])?
        for (number, line) in text.components(separatedBy: "\n").enumerated() {
            let fence = line.trimmingCharacters(in: .whitespaces)
            if let found = open {
                if fence == "```" {
                    blocks.append(
                        PageBlock(
                            page: page, line: found.line, language: found.language,
                            lines: found.lines))
                    open = nil
                } else {
                    open?.lines.append(line)
                }
            } else if fence.hasPrefix("```") {
                open = (String(fence.dropFirst(3)), number + 2, [])
            }
        }
        return blocks
    }
}
