import Foundation

/// Processor time of processes, as Linux reports it.
enum ProcessorTime {
    /// Seconds of processor time that a process and its threads used.
    static func seconds(of process: Int) -> Double { stat(process)?.own ?? 0 }

    /// Seconds of processor time that a process, its children and its ended children used.
    static func secondsOfFamily(_ parent: Int) throws -> Double {
        guard let head = stat(parent) else { return 0 }
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc")
        let children = names.compactMap { Int($0) }.compactMap { stat($0) }
            .filter { $0.parent == parent }
        return head.own + head.ended + children.reduce(0) { $0 + $1.own }
    }

    static func parent(of process: Int) -> Int? { stat(process)?.parent }

    private struct Stat {
        let parent: Int
        let own: Double
        /// Seconds of the children that the process waited for.
        let ended: Double
    }

    private static func stat(_ process: Int) -> Stat? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        // Splits from the third field on, because the second, the program's name, may contain
        // spaces.
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 14 else { return nil }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        func seconds(_ first: Int) -> Double {
            ((Double(fields[first]) ?? 0) + (Double(fields[first + 1]) ?? 0)) / ticks
        }
        return Stat(parent: Int(fields[1]) ?? 0, own: seconds(11), ended: seconds(13))
    }
}
