/// Follows all ways through a program at once, as ``LinearMatcher`` does, and remembers where they lead: a deterministic automaton whose
/// states are made when a text first comes to them.
///
/// Texts that take known turns cost one look-up for each scalar.
///
/// There may be as many states as sets of instructions. So no more than some are remembered at a time, and where texts keep coming to new
/// ones the automaton gives up; matching then is the linear matcher's, which never costs more than text × instructions.
final class LazyAutomaton {
    /// A place in the table: the number of a state times the length of a row.
    private typealias State = Int

    /// What leads to a state: the instructions that read, ask for something of the place, or accept.
    private struct Ways: Hashable {
        var instructions: [Int32]
        var isAtStart: Bool
        /// Whether the scalar before belongs to a word, where the program asks.
        var isBehindWord: Bool
    }

    /// Where a state's ways end where the text does.
    private enum End: UInt8 { case unknown, mismatch, match }

    /// What the text holds next.
    private enum Next {
        case scalar(ofClass: Int)
        case end
    }

    private let program: PatternProgram
    private var classes: ScalarClasses
    private let rowLength: Int
    /// The next state by state and class; the first row is that of the state from which nothing matches.
    private var table: [Int32] = []
    private var states: [Ways: State] = [:]
    private var ways: [Ways] = []
    private var ends: [End] = []
    private var start: State = 0
    /// How many instructions all states have.
    private var instructionCount = 0
    /// How many bytes were read since states were last forgotten.
    private var bytesRead = 0
    private var hasGivenUp = false
    /// The instructions that were come to in one step, and the room to find them.
    private var found: [Int32] = []
    private var isFound: [Bool]
    private var pending: [Int32] = []

    private static let unknown: Int32 = -1
    /// What follows is left to the linear matcher: it depends on more than the next scalar.
    private static let undecided: Int32 = -2
    private static let greatestTableSize = 1 << 16
    private static let mostInstructions = 1 << 18
    /// How many bytes a remembered state has to serve for remembering to pay.
    private static let bytesPerState = 8

    /// - Returns: `nil` for a program with look-arounds, or of very many tests.
    init?(_ program: PatternProgram) {
        guard program.looks.isEmpty, !program.needsBacktracking, let classes = ScalarClasses(program) else { return nil }
        self.program = program
        self.classes = classes
        rowLength = classes.capacity
        isFound = [Bool](repeating: false, count: program.code.count)
        forget()
    }

    /// Whether the whole text matches.
    ///
    /// - Returns: `nil` where the automaton cannot tell.
    /// - Complexity: O(text) along known states; at most O(instructions × text).
    func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool? {
        if hasGivenUp { return nil }
        var state = start
        var place = 0
        while true {
            let known = unsafe followKnown(text, from: place, state)
            bytesRead += known.place - place
            (place, state) = known
            if place == text.count { return matchesAtEnd(state) }
            let (scalar, count) = unsafe text.scalar(at: place)
            guard let number = classes.number(of: scalar) else {
                hasGivenUp = true
                return nil
            }
            var next = table[state + number]
            if next == LazyAutomaton.unknown { next = makeTransition(from: &state, number) }
            if next < 0 { return nil }
            if next == 0 { return false }
            state = Int(next)
            place += count
            bytesRead += count
        }
    }

    /// Goes on as long as the text is ASCII and takes known turns that may lead to a match.
    private func followKnown(
        _ text: UnsafeBufferPointer<UInt8>, from start: Int, _ startState: State
    ) -> (place: Int, state: State) {
        unsafe table.withUnsafeBufferPointer { table in
            unsafe classes.ofASCII.withUnsafeBufferPointer { classes in
                var (place, state) = (start, startState)
                while place < text.count {
                    let byte = unsafe text[place]
                    if byte >= 0x80 { break }
                    let next = unsafe table[state + Int(classes[Int(byte)])]
                    if next <= 0 { break }
                    state = Int(next)
                    place += 1
                }
                return (place, state)
            }
        }
    }

    // MARK: - States

    /// Forgets all states but the first two.
    private func forget() {
        table.removeAll(keepingCapacity: true)
        states.removeAll(keepingCapacity: true)
        ways.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        instructionCount = 0
        bytesRead = 0
        _ = state(of: Ways(instructions: [], isAtStart: false, isBehindWord: false))
        reach(Int32(program.start), isAtStart: true)
        start = state(of: takeWays(isAtStart: true, isBehindWord: false))
    }

    private func state(of some: Ways) -> State {
        if let known = states[some] { return known }
        let state = ways.count * rowLength
        states[some] = state
        ways.append(some)
        ends.append(.unknown)
        table.append(contentsOf: repeatElement(LazyAutomaton.unknown, count: rowLength))
        instructionCount += some.instructions.count
        return state
    }

    /// Finds out where a state leads on a class of scalars; the state may get another place.
    private func makeTransition(from state: inout State, _ number: Int) -> Int32 {
        let member = classes.members[number]
        if member.isTerminator {
            table[state + number] = LazyAutomaton.undecided
            return LazyAutomaton.undecided
        }
        let current = ways[state / rowLength]
        for instruction in settled(current, .scalar(ofClass: number)) where classes.passes(number, Int(instruction)) {
            reach(instruction + 1, isAtStart: false)
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
        let place = Int32(truncatingIfNeeded: self.state(of: next))
        table[state + number] = place
        return place
    }

    private var isFull: Bool {
        table.count + 2 * rowLength > LazyAutomaton.greatestTableSize || instructionCount > LazyAutomaton.mostInstructions
    }

    private func matchesAtEnd(_ state: State) -> Bool {
        let number = state / rowLength
        if ends[number] == .unknown {
            let isMatch = settled(ways[number], .end).contains { if case .accept = program.code[Int($0)] { true } else { false } }
            ends[number] = isMatch ? .match : .mismatch
        }
        return ends[number] == .match
    }

    // MARK: - Ways

    /// The instructions of some ways, and those behind assertions that hold where such follows.
    private func settled(_ ways: Ways, _ next: Next) -> [Int32] {
        let isBeforeWord = if case .scalar(let number) = next { classes.members[number].isWord } else { false }
        let isAtEnd = if case .end = next { true } else { false }
        for instruction in ways.instructions { add(instruction) }
        var index = 0
        while index < found.count {
            if case .assertion(let assertion) = program.code[Int(found[index])] {
                let holds =
                    switch assertion {
                    // Neither kind of line ends or begins elsewhere, as texts with several lines are left to the linear matcher.
                    case .textStart, .lineStart: ways.isAtStart
                    case .textEnd, .textEndBeforeTerminator, .lineEnd: isAtEnd
                    case .wordBoundary: ways.isBehindWord != isBeforeWord
                    case .noWordBoundary: ways.isBehindWord == isBeforeWord
                    }
                if holds { reach(found[index] + 1, isAtStart: ways.isAtStart) }
            }
            index += 1
        }
        return takeFound()
    }

    private func add(_ instruction: Int32) {
        if isFound[Int(instruction)] { return }
        isFound[Int(instruction)] = true
        found.append(instruction)
    }

    /// Adds an instruction, and all that are reached from it without reading or asking.
    private func reach(_ instruction: Int32, isAtStart: Bool) {
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

    private func takeFound() -> [Int32] {
        for instruction in found { isFound[Int(instruction)] = false }
        defer { found.removeAll(keepingCapacity: true) }
        return found
    }

    private func takeWays(isAtStart: Bool, isBehindWord: Bool) -> Ways {
        let instructions = takeFound().filter {
            switch program.code[Int($0)] {
            case .jump, .split: false
            default: true
            }
        }
        let isNothing = instructions.isEmpty
        return Ways(instructions: instructions.sorted(), isAtStart: isAtStart && !isNothing, isBehindWord: isBehindWord && !isNothing)
    }
}
