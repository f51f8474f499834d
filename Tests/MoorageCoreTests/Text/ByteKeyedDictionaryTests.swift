import TestSupport
import Testing

@testable import MoorageCore

@Suite(.ownThreads) struct `A dictionary by bytes` {
    @Test func `changes what it holds in place`() {
        var lists = ByteKeyedDictionary<[Int]>()
        var list: [Int] = []
        list.reserveCapacity(100)
        lists["a"] = consume list
        func place() -> UnsafePointer<Int>? {
            lists["a", default: []].withUnsafeBufferPointer { $0.baseAddress }
        }
        let before = place()
        for number in 0..<100 { lists["a", default: []].append(number) }
        #expect(place() == before)
        #expect(lists["a"]?.count == 100)
    }

    @Test func `tells texts apart by their bytes`() {
        var numbers = ByteKeyedDictionary<Int>()
        numbers["\u{E9}", default: 0] += 1
        numbers["e\u{301}", default: 0] += 2
        #expect(numbers["\u{E9}"] == 1)
        #expect(numbers["e\u{301}"] == 2)
        #expect(numbers.count == 2)
    }
}
