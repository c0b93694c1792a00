/// Matches by backtracking with a step limit: patterns with back-references, atomic groups and possessive quantifiers.
final class BacktrackingMatcher {
    /// A choice point: an alternative, or a register's former content.
    private enum Choice {
        case way(pc: Int32, place: Int)
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
        var (pc, place) = (start, origin)
        while true {
            steps += 1
            if steps > BacktrackingMatcher.stepBudget || choices.count > BacktrackingMatcher.choiceBudget {
                throw PatternError(.tooCostly, at: 0, "the pattern takes too long on a text of \(text.count) bytes")
            }
            var holds = true
            switch program.code[pc] {
            case .accept:
                if end == nil || place == end {
                    forgetWays(from: base)
                    return place
                }
                holds = false
            case .scalar(let wanted): holds = unsafe read(text, &place) { $0 == wanted }
            case .folded(let wanted): holds = unsafe read(text, &place) { ScalarFolding.fold($0) == wanted }
            case .set(let number): holds = unsafe read(text, &place) { program.sets[Int(number)].contains($0) }
            case .assertion(let assertion): holds = unsafe assertion.holds(text, at: place)
            case .save(let register): set(register, place)
            case .progress(let register): holds = registers[Int(register)] != place
            case .backreference(let number, let ignoresCase): holds = unsafe repeats(Int(number), text, &place, ignoresCase)
            case .look(let number): holds = try unsafe look(program.looks[Int(number)], text, place)
            case .jump(let target):
                pc = Int(target)
                continue
            case .split(let first, let second):
                choices.append(.way(pc: second, place: place))
                pc = Int(first)
                continue
            case .atomic(let target):
                if let taken = try unsafe run(text, from: pc + 1, at: place, endingAt: nil) {
                    (pc, place) = (Int(target), taken)
                    continue
                }
                holds = false
            }
            if holds {
                pc += 1
            } else if let way = goBack(to: base) {
                (pc, place) = way
            } else {
                return nil
            }
        }
    }

    private func set(_ register: Int32, _ place: Int) {
        choices.append(.register(register, registers[Int(register)]))
        registers[Int(register)] = place
    }

    private func goBack(to base: Int) -> (Int, Int)? {
        while choices.count > base, let choice = choices.popLast() {
            switch choice {
            case .way(let pc, let place): return (Int(pc), place)
            case .register(let register, let place): registers[Int(register)] = place
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
    private func read(_ text: UnsafeBufferPointer<UInt8>, _ place: inout Int, _ test: (UInt32) -> Bool) -> Bool {
        if place == text.count { return false }
        let (scalar, count) = unsafe text.scalar(at: place)
        guard test(scalar) else { return false }
        place += count
        return true
    }

    /// Returns whether the text of a group is repeated; that of a group without match is not.
    private func repeats(_ number: Int, _ text: UnsafeBufferPointer<UInt8>, _ place: inout Int, _ ignoresCase: Bool) -> Bool {
        var (start, end) = (registers[2 * number], registers[2 * number + 1])
        guard start >= 0, end >= start else { return false }
        while start < end {
            if place == text.count { return false }
            let (a, b) = unsafe (text.scalar(at: start), text.scalar(at: place))
            guard a.value == b.value || (ignoresCase && ScalarFolding.fold(a.value) == ScalarFolding.fold(b.value)) else { return false }
            start += a.count
            place += b.count
            steps += 1
        }
        end = start
        return true
    }

    private func look(_ look: PatternProgram.Look, _ text: UnsafeBufferPointer<UInt8>, _ place: Int) throws(PatternError) -> Bool {
        let base = choices.count
        var found = false
        if look.isAhead {
            found = try unsafe run(text, from: look.start, at: place, endingAt: nil) != nil
        } else {
            var origin = place
            while true {
                found = try unsafe run(text, from: look.start, at: origin, endingAt: place) != nil
                if found || origin == 0 { break }
                unsafe origin -= text.scalar(before: origin).count
            }
        }
        // Captures of a negative look-around are not visible.
        if found && look.isNegated { _ = goBack(to: base) }
        return found != look.isNegated
    }
}
