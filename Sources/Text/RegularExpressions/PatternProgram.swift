/// A regular expression as instructions for the two matchers.
struct PatternProgram {
    enum Instruction {
        case scalar(UInt32)
        case folded(UInt32)
        case set(Int32)
        /// Both ways are open, the first is preferred.
        case split(Int32, Int32)
        case jump(Int32)
        case assertion(PatternAssertion)
        /// The look-around with this number must hold.
        case look(Int32)
        case accept

        // Only the backtracking matcher's programs have these.
        /// Notes the place in a register.
        case save(Int32)
        /// Goes on only where the place has moved since it was noted in the register.
        case progress(Int32)
        /// Takes the text between the group's two registers once more.
        case backreference(Int32, ignoresCase: Bool)
        /// Takes what the instructions behind this one match, for good, and goes on at the target.
        case atomic(Int32)
    }

    /// A look-around: a program of its own within the instructions.
    struct Look {
        let start: Int
        let isAhead: Bool
        let isNegated: Bool
    }

    var code: [Instruction] = []
    /// The look-arounds, those within others before them.
    var looks: [Look] = []
    var start = 0
    var registerCount = 0
    let sets: [ScalarSet]
    /// Whether matching must go by trial, as one outcome depends on what was matched before.
    let needsBacktracking: Bool

    /// How many instructions a program may have, repetitions written out.
    static let maximumSize = 30_000
}
