import Foundation
import MoorageTesting

/// What libFuzzer calls. It is linked into the executable of `Fuzz/Package.swift`, and runs one
/// target by name: `MoorageFuzz frame CORPUS -max_total_time=20`.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@_silgen_name("LLVMFuzzerMutate")
private func mutateBytes(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ maximum: Int) -> Int

private let environment = ProcessInfo.processInfo.environment
private let variable = "MOORAGE_FUZZ_TARGET"
private let named = CommandLine.arguments.dropFirst().first
/// Named by the first argument; or, when libFuzzer starts itself again, by the environment.
private let target = FuzzTarget.all.first { $0.name == named || $0.name == environment[variable] }

/// A trap that no beginning reaches: it proves that the fuzzer finds what is there.
private let isPlanted = environment["MOORAGE_FUZZ_PLANTED"] == "1"

@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
    _ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
    var random = SeededGenerator(seed: UInt64(seed))
    guard !random.once(in: 3), let target else { return mutateBytes(data, size, maximum) }
    var mutation = JSONMutation(random: random, words: target.words)
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    guard let changed = mutation.mutate(bytes), changed.count <= maximum else {
        return mutateBytes(data, size, maximum)
    }
    for (index, byte) in changed.enumerated() { data[index] = byte }
    return changed.count
}

@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    guard let target else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    if isPlanted, target.name == "frame" { Planted.check(bytes) }
    if let problem = target.verdict(bytes) {
        fatalError("\(target.name): \(problem)")
    }
    return 0
}

/// `seeds FOLDER COUNT` and `words FILE` write what a run begins with; anything else goes to
/// libFuzzer.
@_cdecl("MoorageFuzz_main")
public func main(
    _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
    guard let target else {
        print("Targets: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
        return 2
    }
    let rest = Array(CommandLine.arguments.dropFirst(2))
    do {
        if rest.count == 3, rest[0] == "seeds", let number = UInt64(rest[2]) {
            try SeedInputs(target).writeSeeds(to: rest[1], count: number)
            return 0
        }
        if rest.count == 2, rest[0] == "words" {
            try SeedInputs(target).writeWords(to: rest[1])
            return 0
        }
    } catch {
        print("MoorageFuzz: \(error)")
        return 1
    }
    var left = count
    if target.name == named {
        // libFuzzer reads its own arguments: the target's name is taken out.
        setenv(variable, target.name, 1)
        for index in 1..<Int(count) { arguments[index] = arguments[index + 1] }
        left -= 1
    }
    var all = arguments
    return runDriver(&left, &all) { test($0, $1) }
}
