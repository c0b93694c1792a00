/// Compiles a parsed pattern to instructions.
struct PatternCompiler {
    private(set) var program: PatternProgram
    private let isBacktracking: Bool
    private var captureCount: Int

    init(_ node: PatternNode, _ sets: [ScalarSet], captureCount: Int) throws(PatternError) {
        if PatternCompiler.size(node) > PatternProgram.maximumSize {
            throw PatternError(.tooLarge, at: 0, "written out, the pattern is too large")
        }
        isBacktracking = PatternCompiler.needsBacktracking(node)
        self.captureCount = captureCount
        program = PatternProgram(sets: sets, needsBacktracking: isBacktracking)
        program.registerCount = isBacktracking ? 2 * (captureCount + 1) : 0
        let looks = compileLooks(in: node)
        program.start = program.code.count
        emit(node, reversed: false, looks)
        program.code.append(.accept)
    }

    /// Returns an upper bound of the number of instructions.
    private static func size(_ node: PatternNode) -> Int {
        /// Large enough for any sum of two and any product to be exact or capped here.
        let limit = PatternProgram.maximumSize + 1
        switch node {
        case .scalar, .folded, .set, .assertion, .backreference: return 1
        case .sequence(let parts), .alternation(let parts): return parts.reduce(1) { min($0 + size($1) + 2, limit) }
        case .capture(_, let body), .atomic(let body), .look(let body, _, _): return min(size(body) + 3, limit)
        case .repetition(let body, let least, let most, _):
            let (product, overflow) = (size(body) + 4).multipliedReportingOverflow(by: max(most ?? (least + 1), 1))
            return overflow ? limit : min(product, limit)
        }
    }

    private static func needsBacktracking(_ node: PatternNode) -> Bool {
        switch node {
        case .scalar, .folded, .set, .assertion: false
        case .backreference, .atomic, .repetition(_, _, _, .possessive): true
        case .sequence(let parts), .alternation(let parts): parts.contains(where: needsBacktracking)
        case .capture(_, let body), .look(let body, _, _), .repetition(let body, _, _, _): needsBacktracking(body)
        }
    }

    private var here: Int32 { Int32(program.code.count) }

    /// Compiles the look-arounds of a node, which compile nested ones, and returns their numbers in order.
    private mutating func compileLooks(in node: PatternNode) -> [Int32] {
        var numbers: [Int32] = []
        switch node {
        case .scalar, .folded, .set, .assertion, .backreference: break
        case .sequence(let parts), .alternation(let parts):
            for part in parts { numbers += compileLooks(in: part) }
        case .capture(_, let body), .atomic(let body), .repetition(let body, _, _, _): numbers = compileLooks(in: body)
        case .look(let body, let isAhead, let isNegated):
            let inner = compileLooks(in: body)
            let start = program.code.count
            // The linear matcher finds all start offsets of a match by reading backward.
            emit(body, reversed: isAhead && !isBacktracking, inner)
            program.code.append(.accept)
            program.looks.append(PatternProgram.Look(start: start, isAhead: isAhead, isNegated: isNegated))
            numbers = [Int32(program.looks.count - 1)]
        }
        return numbers
    }

    private mutating func emit(_ node: PatternNode, reversed: Bool, _ looks: [Int32]) {
        var remaining = looks[...]
        emit(node, reversed, &remaining)
    }

    private mutating func emit(_ node: PatternNode, _ reversed: Bool, _ looks: inout ArraySlice<Int32>) {
        switch node {
        case .scalar(let scalar): program.code.append(.scalar(scalar))
        case .folded(let scalar): program.code.append(.folded(scalar))
        case .set(let number): program.code.append(.set(Int32(number)))
        case .assertion(let assertion): program.code.append(.assertion(assertion))
        case .backreference(let number, let ignoresCase): program.code.append(.backreference(Int32(number), ignoresCase: ignoresCase))
        case .look: program.code.append(.look(looks.removeFirst()))
        case .sequence(let parts): emitSequence(parts, reversed, &looks)
        case .alternation(let parts): emitAlternation(parts, reversed, &looks)
        case .capture(let number, let body):
            guard isBacktracking else { return emit(body, reversed, &looks) }
            program.code.append(.save(Int32(2 * number)))
            emit(body, reversed, &looks)
            program.code.append(.save(Int32(2 * number + 1)))
        case .atomic(let body): emitAtomic(body, reversed, &looks)
        case .repetition(let body, let least, let most, .possessive):
            emitAtomic(.repetition(body, atLeast: least, atMost: most, .greedy), reversed, &looks)
        case .repetition(let body, let least, let most, let greed):
            emitRepetition(Repetition(body: body, least: least, most: most, isLazy: greed == .lazy), reversed, &looks)
        }
    }

    private mutating func emitSequence(_ parts: [PatternNode], _ reversed: Bool, _ looks: inout ArraySlice<Int32>) {
        guard reversed else {
            for part in parts { emit(part, reversed, &looks) }
            return
        }
        // The numbers of the look-arounds are in the order of the pattern.
        var ofPart: [ArraySlice<Int32>] = []
        for part in parts { ofPart.append(PatternCompiler.takeLooks(of: part, &looks)) }
        for (part, numbers) in zip(parts, ofPart).reversed() {
            var numbers = numbers
            emit(part, reversed, &numbers)
        }
    }

    private static func takeLooks(of node: PatternNode, _ looks: inout ArraySlice<Int32>) -> ArraySlice<Int32> {
        let count = lookCount(node)
        defer { looks = looks.dropFirst(count) }
        return looks.prefix(count)
    }

    /// Returns the number of look-arounds that are not nested.
    private static func lookCount(_ node: PatternNode) -> Int {
        switch node {
        case .scalar, .folded, .set, .assertion, .backreference: 0
        case .look: 1
        case .sequence(let parts), .alternation(let parts): parts.reduce(0) { $0 + lookCount($1) }
        case .capture(_, let body), .atomic(let body), .repetition(let body, _, _, _): lookCount(body)
        }
    }

    private mutating func emitAlternation(_ parts: [PatternNode], _ reversed: Bool, _ looks: inout ArraySlice<Int32>) {
        var exits: [Int] = []
        for (index, part) in parts.enumerated() {
            guard index < parts.count - 1 else {
                emit(part, reversed, &looks)
                break
            }
            let split = program.code.count
            program.code.append(.split(here + 1, 0))
            emit(part, reversed, &looks)
            exits.append(program.code.count)
            program.code.append(.jump(0))
            program.code[split] = .split(Int32(split + 1), here)
        }
        for exit in exits { program.code[exit] = .jump(here) }
    }

    private mutating func emitAtomic(_ body: PatternNode, _ reversed: Bool, _ looks: inout ArraySlice<Int32>) {
        let start = program.code.count
        program.code.append(.atomic(0))
        emit(body, reversed, &looks)
        program.code.append(.accept)
        program.code[start] = .atomic(here)
    }

    /// A part that is repeated; it backtracks.
    private struct Repetition {
        let body: PatternNode
        let least: Int
        let most: Int?
        let isLazy: Bool
    }

    private mutating func emitRepetition(_ repetition: Repetition, _ reversed: Bool, _ looks: inout ArraySlice<Int32>) {
        let (body, least, most, isLazy) = (repetition.body, repetition.least, repetition.most, repetition.isLazy)
        let numbers = PatternCompiler.takeLooks(of: body, &looks)
        func split(_ into: Int32, _ past: Int32) -> PatternProgram.Instruction { isLazy ? .split(past, into) : .split(into, past) }
        for _ in 0..<least {
            var numbers = numbers
            emit(body, reversed, &numbers)
        }
        if let most {
            var exits: [Int] = []
            for _ in least..<most {
                var numbers = numbers
                exits.append(program.code.count)
                program.code.append(.jump(0))
                emit(body, reversed, &numbers)
            }
            for exit in exits { program.code[exit] = split(Int32(exit + 1), here) }
            return
        }
        var remaining = numbers
        let start = program.code.count
        program.code.append(.jump(0))
        guard isBacktracking else {
            emit(body, reversed, &remaining)
            program.code.append(.jump(Int32(start)))
            program.code[start] = split(Int32(start + 1), here)
            return
        }
        // An empty iteration ends the loop.
        let register = Int32(program.registerCount)
        program.registerCount += 1
        program.code.append(.save(register))
        emit(body, reversed, &remaining)
        program.code.append(.progress(register))
        program.code.append(.jump(Int32(start)))
        program.code[start] = split(Int32(start + 1), here)
    }
}
