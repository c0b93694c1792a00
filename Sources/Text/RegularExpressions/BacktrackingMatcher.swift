/// Matches by backtracking with a step limit: patterns with back-references, atomic groups and possessive quantifiers.
final class BacktrackingMatcher {
    /// A choice point: an alternative, or a register's former content.
    private enum Choice {
        case way(pc: Int32, offset: Int)
        case register(Int32, Int)
    }

    private let program: PatternProgram
    private var registers: [Int]
    private var choices: [Choice] = []
    private var steps = 0

    /// The maximum number of instructions for one text.
    static let stepBudget = 5_000_000
    /// The maximum number of choice points at a time.
    static let choiceBudget = 1_000_000

    init(_ program: PatternProgram) {
        self.program = program
        registers = [Int](repeating: -1, count: program.registerCount)
    }

    func matches(_ text: UnsafeBufferPointer<UInt8>) throws(PatternError) -> Bool {
        for register in registers.indices { registers[register] = -1 }
        choices.removeAll(keepingCapacity: true)
        steps = 0
        return try unsafe run(text, from: program.start, at: 0, endingAt: text.count) != nil
    }

    /// Returns the end of the first match at an offset; the registers are then its own, or unchanged.
    private func run(
        _ text: UnsafeBufferPointer<UInt8>, from start: Int, at origin: Int, endingAt end: Int?
    ) throws(PatternError) -> Int? {
        let base = choices.count
        var (pc, offset) = (start, origin)
        while true {
            steps += 1
            if steps > BacktrackingMatcher.stepBudget || choices.count > BacktrackingMatcher.choiceBudget {
                throw PatternError.tooCostly(on: text.count)
            }
            var holds = true
            switch program.code[pc] {
            case .accept:
                if end == nil || offset == end {
                    forgetWays(from: base)
                    return offset
                }
                holds = false
            case .scalar(let wanted): holds = unsafe read(text, &offset) { $0 == wanted }
            case .folded(let wanted): holds = unsafe read(text, &offset) { ScalarFolding.fold($0) == wanted }
            case .set(let number): holds = unsafe read(text, &offset) { program.sets[Int(number)].contains($0) }
            case .assertion(let assertion): holds = unsafe assertion.holds(text, at: offset)
            case .save(let register): set(register, offset)
            case .progress(let register): holds = registers[Int(register)] != offset
            case .backreference(let number, let ignoresCase): holds = unsafe repeats(Int(number), text, &offset, ignoresCase)
            case .look(let number): holds = try unsafe look(program.looks[Int(number)], text, offset)
            case .jump(let target):
                pc = Int(target)
                continue
            case .split(let first, let second):
                choices.append(.way(pc: second, offset: offset))
                pc = Int(first)
                continue
            case .atomic(let target):
                if let taken = try unsafe run(text, from: pc + 1, at: offset, endingAt: nil) {
                    (pc, offset) = (Int(target), taken)
                    continue
                }
                holds = false
            }
            if holds {
                pc += 1
            } else if let way = goBack(to: base) {
                (pc, offset) = way
            } else {
                return nil
            }
        }
    }

    private func set(_ register: Int32, _ offset: Int) {
        choices.append(.register(register, registers[Int(register)]))
        registers[Int(register)] = offset
    }

    private func goBack(to base: Int) -> (Int, Int)? {
        while choices.count > base, let choice = choices.popLast() {
            switch choice {
            case .way(let pc, let offset): return (Int(pc), offset)
            case .register(let register, let offset): registers[Int(register)] = offset
            }
        }
        return nil
    }

    /// Makes a match final: only restorations of registers remain of its choice points.
    private func forgetWays(from base: Int) {
        var kept = base
        for index in base..<choices.count {
            if case .register = choices[index] {
                choices[kept] = choices[index]
                kept += 1
            }
        }
        choices.removeSubrange(kept...)
    }

    @inline(__always)
    private func read(_ text: UnsafeBufferPointer<UInt8>, _ offset: inout Int, _ test: (UInt32) -> Bool) -> Bool {
        if offset == text.count { return false }
        let (scalar, count) = unsafe text.scalar(at: offset)
        guard test(scalar) else { return false }
        offset += count
        return true
    }

    /// Returns whether the text of a group is repeated; that of a group without match is not.
    private func repeats(_ number: Int, _ text: UnsafeBufferPointer<UInt8>, _ offset: inout Int, _ ignoresCase: Bool) -> Bool {
        var start = registers[2 * number]
        let end = registers[2 * number + 1]
        guard start >= 0, end >= start else { return false }
        while start < end {
            if offset == text.count { return false }
            let (a, b) = unsafe (text.scalar(at: start), text.scalar(at: offset))
            guard a.value == b.value || (ignoresCase && ScalarFolding.fold(a.value) == ScalarFolding.fold(b.value)) else { return false }
            start += a.count
            offset += b.count
            steps += 1
        }
        return true
    }

    private func look(_ look: PatternProgram.Look, _ text: UnsafeBufferPointer<UInt8>, _ offset: Int) throws(PatternError) -> Bool {
        let base = choices.count
        var found = false
        if look.isAhead {
            found = try unsafe run(text, from: look.start, at: offset, endingAt: nil) != nil
        } else {
            var origin = offset
            while true {
                found = try unsafe run(text, from: look.start, at: origin, endingAt: offset) != nil
                if found || origin == 0 { break }
                unsafe origin -= text.scalar(before: origin).count
            }
        }
        // Captures of a negative look-around are not visible.
        if found && look.isNegated { _ = goBack(to: base) }
        return found != look.isNegated
    }
}
