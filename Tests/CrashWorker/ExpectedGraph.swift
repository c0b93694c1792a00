import FoundationEssentials

/// What a part holds: everything that can be observed in it.
package struct PartSnapshot: Equatable, Sendable {
    package var generation: Int
    package var batches: [BatchSnapshot]
}

package struct BatchSnapshot: Equatable, Sendable {
    var generation: Int
    var stamp: Int
    var previous: Int?
    var items: [ItemSnapshot]
}

package struct ItemSnapshot: Equatable, Sendable {
    var number: Int
    var text: String
    var weight: Double
    var touched: Int
    var payload: Data
    var tags: [String]
}

/// The state after each generation, computed from its number alone: a save that is torn in any place differs from it.
///
/// A batch ages. One generation later its items are touched, then their order is reversed and their tags change, then a quarter of them
/// is deleted, then the last item goes to the second place, and in the end the batch is deleted with its items.
package enum ExpectedGraph {
    static let lifetime = 8
    static let tagCount = 5

    package static func snapshot(of part: Part, at generation: Int) -> PartSnapshot {
        let first = max(1, generation - lifetime + 1)
        let batches = generation < 1 ? [] : (first...generation).map { batch($0, of: part, age: generation - $0, isFirst: $0 == first) }
        return PartSnapshot(generation: generation, batches: batches)
    }

    static func stamp(_ batch: Int, age: Int) -> Int { Int(mix(batch, min(age, 4), 7) >> 8) }

    static func itemCount(_ batch: Int, of part: Part) -> Int { 5 + Int(mix(batch, seed(part), 1) % 4) }

    static func tagNames(_ part: Part) -> [String] { (0..<tagCount).map { "\(part.rawValue)\($0)" } }

    /// The indexes of a batch's items in their order.
    static func order(_ batch: Int, of part: Part, age: Int) -> [Int] {
        var order = Array(0..<itemCount(batch, of: part))
        if age >= 2 { order.reverse() }
        if age >= 3 { order.removeAll(where: isShortLived) }
        if age >= 4, let last = order.popLast() { order.insert(last, at: 1) }
        return order
    }

    static func isShortLived(_ index: Int) -> Bool { index % 4 == 1 }

    static func item(_ index: Int, ofBatch batch: Int, of part: Part, age: Int) -> ItemSnapshot {
        let isTouched = age >= 1
        let bits = mix(batch, index, seed(part), isTouched ? 3 : 2)
        // Some values are long enough for a file of their own.
        let length = bits % 12 == 0 ? CrashMode.externalStorageThreshold + Int((bits >> 8) % 2000) : Int((bits >> 8) % 40)
        return ItemSnapshot(
            number: batch * 100 + index,
            text: String(repeating: "\(part.rawValue)\(batch).\(index)é ", count: 1 + Int(bits % 9)),
            weight: Double(bits >> 40) / 7,
            touched: isTouched ? batch + 1 : 0,
            payload: payload(from: Int(bits % 256), length),
            tags: tags(index, ofBatch: batch, of: part, age: age)
        )
    }

    /// Returns the bytes that count up from a first one.
    private static func payload(from first: Int, _ length: Int) -> Data { Data(counting[first..<first + length]) }

    /// Made once: a closure for each byte is slow where nothing is optimized.
    private static let counting = (0..<256 + CrashMode.externalStorageThreshold + 2000).map { UInt8(truncatingIfNeeded: $0) }

    static func tags(_ index: Int, ofBatch batch: Int, of part: Part, age: Int) -> [String] {
        let names = tagNames(part)
        let bits = Int(mix(batch, index, seed(part), age >= 2 ? 5 : 4))
        let chosen = names.indices.filter { bits >> $0 & 1 == 1 }.map { names[$0] }
        return bits >> 8 & 1 == 1 ? chosen.reversed() : chosen
    }

    private static func batch(_ number: Int, of part: Part, age: Int, isFirst: Bool) -> BatchSnapshot {
        BatchSnapshot(
            generation: number,
            stamp: stamp(number, age: age),
            previous: isFirst ? nil : number - 1,
            items: order(number, of: part, age: age).map { item($0, ofBatch: number, of: part, age: age) }
        )
    }

    private static func seed(_ part: Part) -> Int { Int(part.rawValue.utf8.reduce(0) { $0 * 31 + UInt32($1) }) }

    private static func mix(_ numbers: Int...) -> UInt64 {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        for number in numbers {
            state = (state ^ UInt64(bitPattern: Int64(number))) &* 0xBF58_476D_1CE4_E5B9
            state ^= state >> 27
        }
        return state >> 1
    }
}
