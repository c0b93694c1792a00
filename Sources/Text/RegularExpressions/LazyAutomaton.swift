/// A lazily built DFA: follows all threads of a program at once, as ``LinearMatcher`` does, and caches the transitions.
///
/// Texts with cached transitions cost one look-up for each scalar. There may be as many states as sets of instructions:
/// so the cache is limited, and if it is evicted too often the automaton gives up in favour of the linear matcher,
/// which never costs more than text × instructions.
final class LazyAutomaton {
    /// The offset of a state's row in the table: its number times the length of a row.
    private typealias State = Int

    /// The key of a state: the instructions that read, have a condition on the offset, or accept.
    private struct Ways: Hashable {
        var instructions: [Int32]
        var isAtStart: Bool
        /// Whether the scalar before is a word character, if the program tests it.
        var isBehindWord: Bool
    }

    private let program: PatternProgram
    private var classes: ScalarClasses
    private let rowLength: Int
    /// The next state by state and class; the first row is that of the dead state.
    private var table: [Int32] = []
    private var states: [Ways: State] = [:]
    private var ways: [Ways] = []
    /// Whether the text matches if it ends in a state; `nil` where it is unknown.
    private var ends: [Bool?] = []
    private var start: State = 0
    /// The number of instructions of all states.
    private var instructionCount = 0
    /// The number of bytes read since the cache was last cleared.
    private var bytesRead = 0
    private var hasGivenUp = false
    private var reached: ReachedInstructions

    private static let unknown: Int32 = -1
    /// Left to the linear matcher: the result depends on more than the next scalar.
    private static let undecided: Int32 = -2
    private static let greatestTableSize = 1 << 16
    private static let mostInstructions = 1 << 18
    /// The number of bytes per cached state above which caching pays.
    private static let bytesPerState = 8

    /// - Returns: `nil` for a program with look-arounds, or too many tests.
    init?(_ program: PatternProgram) {
        guard program.looks.isEmpty, !program.needsBacktracking, let classes = ScalarClasses(program) else { return nil }
        self.program = program
        self.classes = classes
        rowLength = classes.capacity
        reached = ReachedInstructions(program)
        forget()
    }

    /// Returns whether the whole text matches.
    ///
    /// - Returns: `nil` if the automaton cannot decide it.
    /// - Complexity: O(text) for cached states; at most O(instructions × text).
    func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool? {
        if hasGivenUp { return nil }
        var state = start
        var offset = 0
        while true {
            let known = unsafe followKnown(text, from: offset, state)
            bytesRead += known.offset - offset
            (offset, state) = known
            if offset == text.count { return matchesAtEnd(state) }
            let (scalar, count) = unsafe text.scalar(at: offset)
            guard let number = classes.number(of: scalar) else {
                hasGivenUp = true
                return nil
            }
            var next = table[state + number]
            if next == LazyAutomaton.unknown { next = makeTransition(from: &state, number) }
            if next < 0 { return nil }
            if next == 0 { return false }
            state = Int(next)
            offset += count
            bytesRead += count
        }
    }

    /// Continues while the text is ASCII and has cached transitions to live states.
    private func followKnown(
        _ text: UnsafeBufferPointer<UInt8>, from start: Int, _ startState: State
    ) -> (offset: Int, state: State) {
        unsafe table.withUnsafeBufferPointer { table in
            unsafe classes.ofASCII.withUnsafeBufferPointer { classes in
                var (offset, state) = (start, startState)
                while offset < text.count {
                    let byte = unsafe text[offset]
                    if byte >= 0x80 { break }
                    let next = unsafe table[state + Int(classes[Int(byte)])]
                    if next <= 0 { break }
                    state = Int(next)
                    offset += 1
                }
                return (offset, state)
            }
        }
    }

    // MARK: - States

    /// Clears the cache except for the first two states.
    private func forget() {
        table.removeAll(keepingCapacity: true)
        states.removeAll(keepingCapacity: true)
        ways.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        instructionCount = 0
        bytesRead = 0
        _ = state(of: Ways(instructions: [], isAtStart: false, isBehindWord: false))
        reached.reach(Int32(program.start), isAtStart: true)
        start = state(of: takeWays(isAtStart: true, isBehindWord: false))
    }

    private func state(of some: Ways) -> State {
        if let known = states[some] { return known }
        let state = ways.count * rowLength
        states[some] = state
        ways.append(some)
        ends.append(nil)
        table.append(contentsOf: repeatElement(LazyAutomaton.unknown, count: rowLength))
        instructionCount += some.instructions.count
        return state
    }

    /// Computes the transition of a state on a class of scalars; the state may get another row.
    private func makeTransition(from state: inout State, _ number: Int) -> Int32 {
        let member = classes.members[number]
        if member.isTerminator {
            table[state + number] = LazyAutomaton.undecided
            return LazyAutomaton.undecided
        }
        let current = ways[state / rowLength]
        for instruction in closure(current, before: number) where classes.passes(number, Int(instruction)) {
            reached.reach(instruction + 1, isAtStart: false)
        }
        let next = takeWays(isAtStart: false, isBehindWord: member.isWord)
        if states[next] == nil, isFull {
            if bytesRead < ways.count * LazyAutomaton.bytesPerState {
                hasGivenUp = true
                return LazyAutomaton.undecided
            }
            forget()
            state = self.state(of: current)
        }
        let row = Int32(truncatingIfNeeded: self.state(of: next))
        table[state + number] = row
        return row
    }

    private var isFull: Bool {
        table.count + 2 * rowLength > LazyAutomaton.greatestTableSize || instructionCount > LazyAutomaton.mostInstructions
    }

    private func matchesAtEnd(_ state: State) -> Bool {
        let number = state / rowLength
        if let known = ends[number] { return known }
        let isMatch = closure(ways[number], before: nil).contains { if case .accept = program.code[Int($0)] { true } else { false } }
        ends[number] = isMatch
        return isMatch
    }

    // MARK: - Threads

    /// Returns the instructions of some threads, and those after assertions that hold before the next input.
    ///
    /// - Parameter number: The class of the next scalar; `nil` at the end.
    private func closure(_ ways: Ways, before number: Int?) -> [Int32] {
        let isBeforeWord = number.map { classes.members[$0].isWord } ?? false
        for instruction in ways.instructions { reached.add(instruction) }
        var index = 0
        while index < reached.found.count {
            if case .assertion(let assertion) = program.code[Int(reached.found[index])] {
                let holds =
                    switch assertion {
                    // Texts with several lines are left to the linear matcher, so lines begin and end at the text's.
                    case .textStart, .lineStart: ways.isAtStart
                    case .textEnd, .textEndBeforeTerminator, .lineEnd: number == nil
                    case .wordBoundary: ways.isBehindWord != isBeforeWord
                    case .noWordBoundary: ways.isBehindWord == isBeforeWord
                    }
                if holds { reached.reach(reached.found[index] + 1, isAtStart: ways.isAtStart) }
            }
            index += 1
        }
        return reached.take()
    }

    private func takeWays(isAtStart: Bool, isBehindWord: Bool) -> Ways {
        let instructions = reached.take().filter {
            switch program.code[Int($0)] {
            case .jump, .split: false
            default: true
            }
        }
        let isNothing = instructions.isEmpty
        return Ways(instructions: instructions.sorted(), isAtStart: isAtStart && !isNothing, isBehindWord: isBehindWord && !isNothing)
    }
}

/// The instructions that are reached in one step, and the memory to find them.
private struct ReachedInstructions {
    private let program: PatternProgram
    private(set) var found: [Int32] = []
    private var isFound: [Bool]
    private var pending: [Int32] = []

    init(_ program: PatternProgram) {
        self.program = program
        isFound = [Bool](repeating: false, count: program.code.count)
    }

    mutating func add(_ instruction: Int32) {
        if isFound[Int(instruction)] { return }
        isFound[Int(instruction)] = true
        found.append(instruction)
    }

    /// Adds an instruction, and all that are reached from it without reading or testing.
    mutating func reach(_ instruction: Int32, isAtStart: Bool) {
        pending.append(instruction)
        while let next = pending.popLast() {
            if isFound[Int(next)] { continue }
            switch program.code[Int(next)] {
            case .jump(let target):
                add(next)
                pending.append(target)
            case .split(let a, let b):
                add(next)
                pending.append(b)
                pending.append(a)
            case .assertion(.textStart), .assertion(.lineStart): if isAtStart { add(next) }
            default: add(next)
            }
        }
    }

    /// Returns the instructions, and forgets them.
    mutating func take() -> [Int32] {
        for instruction in found { isFound[Int(instruction)] = false }
        defer { found.removeAll(keepingCapacity: true) }
        return found
    }
}
