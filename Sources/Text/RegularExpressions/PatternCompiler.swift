/// Compiles a parsed pattern to instructions.
struct PatternCompiler {
    private(set) var program: PatternProgram
    private let isBacktracking: Bool

    /// - Parameter pattern: The parser of the pattern, with its sets, look-arounds and groups.
    init(_ node: PatternNode, _ pattern: PatternParser) throws(PatternError) {
        if PatternCompiler.size(node, pattern.looks) > PatternProgram.maximumSize {
            throw PatternError(.tooLarge, at: 0, "written out, the pattern is too large")
        }
        isBacktracking = ([node] + pattern.looks.map(\.body)).contains(where: PatternCompiler.needsBacktracking)
        program = PatternProgram(sets: pattern.sets, needsBacktracking: isBacktracking)
        program.registerCount = isBacktracking ? 2 * (pattern.captureCount + 1) : 0
        for look in pattern.looks {
            program.looks.append(PatternProgram.Look(start: program.code.count, isAhead: look.isAhead, isNegated: look.isNegated))
            // The linear matcher finds all start offsets of a match by reading backward.
            emit(look.body, reversed: look.isAhead && !isBacktracking)
            program.code.append(.accept)
        }
        program.start = program.code.count
        emit(node, reversed: false)
        program.code.append(.accept)
    }

    /// Returns an upper bound of the number of instructions.
    private static func size(_ node: PatternNode, _ looks: [PatternLook]) -> Int {
        /// Large enough for any sum of two and any product to be exact or capped here.
        let limit = PatternProgram.maximumSize + 1
        switch node {
        case .scalar, .folded, .set, .assertion, .backreference: return 1
        case .sequence(let parts), .alternation(let parts): return parts.reduce(1) { min($0 + size($1, looks) + 2, limit) }
        case .capture(_, let body), .atomic(let body): return min(size(body, looks) + 3, limit)
        case .look(let number): return min(size(looks[number].body, looks) + 3, limit)
        case .repetition(let body, let least, let most, _):
            let (product, overflow) = (size(body, looks) + 4).multipliedReportingOverflow(by: max(most ?? (least + 1), 1))
            return overflow ? limit : min(product, limit)
        }
    }

    private static func needsBacktracking(_ node: PatternNode) -> Bool {
        switch node {
        case .scalar, .folded, .set, .assertion, .look: false
        case .backreference, .atomic, .repetition(_, _, _, .possessive): true
        case .sequence(let parts), .alternation(let parts): parts.contains(where: needsBacktracking)
        case .capture(_, let body), .repetition(let body, _, _, _): needsBacktracking(body)
        }
    }

    private var here: Int32 { Int32(program.code.count) }

    private mutating func emit(_ node: PatternNode, reversed: Bool) {
        switch node {
        case .scalar(let scalar): program.code.append(.scalar(scalar))
        case .folded(let scalar): program.code.append(.folded(scalar))
        case .set(let number): program.code.append(.set(Int32(number)))
        case .assertion(let assertion): program.code.append(.assertion(assertion))
        case .backreference(let number, let ignoresCase): program.code.append(.backreference(Int32(number), ignoresCase: ignoresCase))
        case .look(let number): program.code.append(.look(Int32(number)))
        case .sequence(let parts): for part in reversed ? parts.reversed() : parts { emit(part, reversed: reversed) }
        case .alternation(let parts): emitAlternation(parts, reversed)
        case .capture(let number, let body):
            guard isBacktracking else { return emit(body, reversed: reversed) }
            program.code.append(.save(Int32(2 * number)))
            emit(body, reversed: reversed)
            program.code.append(.save(Int32(2 * number + 1)))
        case .atomic(let body): emitAtomic(body, reversed)
        case .repetition(let body, let least, let most, .possessive):
            emitAtomic(.repetition(body, atLeast: least, atMost: most, .greedy), reversed)
        case .repetition(let body, let least, let most, let greed):
            emitRepetition(of: body, least, most, isLazy: greed == .lazy, reversed: reversed)
        }
    }

    private mutating func emitAlternation(_ parts: [PatternNode], _ reversed: Bool) {
        var exits: [Int] = []
        for (index, part) in parts.enumerated() {
            guard index < parts.count - 1 else {
                emit(part, reversed: reversed)
                break
            }
            let split = program.code.count
            program.code.append(.split(here + 1, 0))
            emit(part, reversed: reversed)
            exits.append(program.code.count)
            program.code.append(.jump(0))
            program.code[split] = .split(Int32(split + 1), here)
        }
        for exit in exits { program.code[exit] = .jump(here) }
    }

    private mutating func emitAtomic(_ body: PatternNode, _ reversed: Bool) {
        let start = program.code.count
        program.code.append(.atomic(0))
        emit(body, reversed: reversed)
        program.code.append(.accept)
        program.code[start] = .atomic(here)
    }

    private mutating func emitRepetition(of body: PatternNode, _ least: Int, _ most: Int?, isLazy: Bool, reversed: Bool) {
        func split(_ into: Int32, _ past: Int32) -> PatternProgram.Instruction { isLazy ? .split(past, into) : .split(into, past) }
        for _ in 0..<least { emit(body, reversed: reversed) }
        if let most {
            var exits: [Int] = []
            for _ in least..<most {
                exits.append(program.code.count)
                program.code.append(.jump(0))
                emit(body, reversed: reversed)
            }
            for exit in exits { program.code[exit] = split(Int32(exit + 1), here) }
            return
        }
        let start = program.code.count
        program.code.append(.jump(0))
        guard isBacktracking else {
            emit(body, reversed: reversed)
            program.code.append(.jump(Int32(start)))
            program.code[start] = split(Int32(start + 1), here)
            return
        }
        // An empty iteration ends the loop.
        let register = Int32(program.registerCount)
        program.registerCount += 1
        program.code.append(.save(register))
        emit(body, reversed: reversed)
        program.code.append(.progress(register))
        program.code.append(.jump(Int32(start)))
        program.code[start] = split(Int32(start + 1), here)
    }
}
