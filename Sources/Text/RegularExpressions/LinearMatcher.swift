/// Matches without backtracking: all threads of the program are followed at once, one scalar of the text at a time.
///
/// The result does not depend on priorities of alternatives. A look-around is computed for all offsets in one pass.
///
/// - Complexity: O(instructions × text) time, O(instructions + text × look-arounds) memory.
struct LinearMatcher {
    private let program: PatternProgram
    private var current: SparseSet
    private var next: SparseSet
    private var pending: [Int32] = []
    /// A bit for each offset of the text, per look-around: whether it holds there.
    private var lookBits: [[UInt64]] = []
    private var steps = 0

    /// The maximum number of instructions for one text.
    static let stepBudget = 100_000_000

    init(_ program: PatternProgram) {
        self.program = program
        current = SparseSet(program.code.count)
        next = SparseSet(program.code.count)
    }

    mutating func matches(_ text: UnsafeBufferPointer<UInt8>) throws(PatternError) -> Bool {
        steps = 0
        lookBits.removeAll(keepingCapacity: true)
        for look in program.looks {
            var bits = [UInt64](repeating: 0, count: text.count / 64 + 1)
            try unsafe run(text, from: look.start, backward: look.isAhead, atEveryOffset: true) { offset, isAccepted in
                if isAccepted != look.isNegated { bits[offset >> 6] |= 1 << UInt64(offset & 63) }
            }
            lookBits.append(bits)
        }
        var isMatch = false
        try unsafe run(text, from: program.start, backward: false, atEveryOffset: false) { offset, isAccepted in
            if offset == text.count { isMatch = isAccepted }
        }
        return isMatch
    }

    /// Runs a part of the program over the text and returns for each offset whether a match ends there.
    private mutating func run(
        _ text: UnsafeBufferPointer<UInt8>, from start: Int, backward: Bool, atEveryOffset: Bool, _ visit: (Int, Bool) -> Void
    ) throws(PatternError) {
        var offset = backward ? text.count : 0
        let end = backward ? 0 : text.count
        next.removeAll()
        var isAccepted = unsafe add(start, text, offset)
        swap(&current, &next)
        visit(offset, isAccepted)
        while offset != end {
            let (scalar, count) = unsafe backward ? text.scalar(before: offset) : text.scalar(at: offset)
            offset += backward ? -count : count
            next.removeAll()
            isAccepted = false
            for index in 0..<current.count {
                let pc = current[index]
                switch program.code[pc] {
                case .scalar(let wanted): if wanted != scalar { continue }
                case .folded(let wanted): if wanted != ScalarFolding.fold(scalar) { continue }
                case .set(let number): if !program.sets[Int(number)].contains(scalar) { continue }
                default: continue
                }
                if unsafe add(pc + 1, text, offset) { isAccepted = true }
            }
            if unsafe atEveryOffset && add(start, text, offset) { isAccepted = true }
            steps += current.count + next.count + 1
            if steps > LinearMatcher.stepBudget { throw PatternError.tooCostly(on: text.count) }
            swap(&current, &next)
            visit(offset, isAccepted)
            if current.count == 0 && !atEveryOffset { return }
        }
    }

    /// Adds an instruction, and all reached from it without reading, to those that read next; returns whether one ends.
    private mutating func add(_ pc: Int, _ text: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Bool {
        var isAccepted = false
        var pc = Int32(pc)
        while true {
            if next.insert(Int(pc)) {
                switch program.code[Int(pc)] {
                case .jump(let target):
                    pc = target
                    continue
                case .split(let a, let b):
                    pending.append(b)
                    pc = a
                    continue
                case .assertion(let assertion) where unsafe assertion.holds(text, at: offset):
                    pc += 1
                    continue
                case .look(let number) where lookBits[Int(number)][offset >> 6] >> UInt64(offset & 63) & 1 != 0:
                    pc += 1
                    continue
                case .accept: isAccepted = true
                default: break
                }
            }
            guard let other = pending.popLast() else { return isAccepted }
            pc = other
        }
    }
}

/// A set of small numbers that is cleared in O(1) and lists its members in insertion order.
private struct SparseSet {
    private var dense: [Int32]
    private var sparse: [Int32]
    private(set) var count = 0

    init(_ capacity: Int) {
        dense = [Int32](repeating: 0, count: capacity)
        sparse = [Int32](repeating: 0, count: capacity)
    }

    subscript(_ index: Int) -> Int { Int(dense[index]) }

    mutating func removeAll() { count = 0 }

    mutating func insert(_ member: Int) -> Bool {
        let index = Int(sparse[member])
        if index < count && dense[index] == Int32(member) { return false }
        dense[count] = Int32(member)
        sparse[member] = Int32(count)
        count += 1
        return true
    }
}
