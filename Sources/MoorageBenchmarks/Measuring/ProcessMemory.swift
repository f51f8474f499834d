import Foundation

/// What the system says of a process's memory, on Linux.
enum ProcessMemory {
    /// - Parameters:
    ///   - name: A line of `/proc/<process>/status`: `VmRSS` for now, `VmHWM` for the most there was.
    /// - Returns: Bytes; `nil` where there is no such line.
    static func bytes(_ name: String, of process: String = "self") -> Int? {
        guard
            let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
            .flatMap { Int($0) }.map { $0 * 1024 }
    }
}
