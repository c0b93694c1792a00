/// A regular expression as instructions for the matchers.
struct PatternProgram {
    enum Instruction {
        case scalar(UInt32)
        case folded(UInt32)
        case set(Int32)
        /// Two alternatives, of which the first is preferred.
        case split(Int32, Int32)
        case jump(Int32)
        case assertion(PatternAssertion)
        /// The look-around with this number must hold.
        case look(Int32)
        case accept

        // Only the backtracking matcher's programs have these.
        /// Saves the offset in a register.
        case save(Int32)
        /// Continues only if the offset has changed since it was saved in the register.
        case progress(Int32)
        /// Matches the text between the group's two registers again.
        case backreference(Int32, ignoresCase: Bool)
        /// Matches the instructions after this one atomically, and continues at the target.
        case atomic(Int32)
    }

    /// A look-around: a program of its own within the instructions.
    struct Look {
        let start: Int
        let isAhead: Bool
        let isNegated: Bool
    }

    var code: [Instruction] = []
    /// The look-arounds, nested ones before their parents.
    var looks: [Look] = []
    var start = 0
    var registerCount = 0
    let sets: [ScalarSet]
    /// Whether matching needs backtracking, as a result depends on what was matched before.
    let needsBacktracking: Bool

    /// The maximum number of instructions of a program, with repetitions expanded.
    static let maximumSize = 30_000
}
