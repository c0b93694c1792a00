/// The equivalence classes of scalars for a program, found as they occur.
struct ScalarClasses {
    /// A program's test of a scalar.
    private enum Test: Hashable {
        case scalar(UInt32)
        case folded(UInt32)
        case set(Int32)
    }

    /// The common properties of all scalars of a class.
    struct Member: Hashable {
        /// A bit for each test.
        fileprivate var passed: [UInt64]
        /// Whether it is a word character; only set if the program tests word boundaries.
        fileprivate(set) var isWord = false
        /// Whether it ends lines; only set if the program tests line ends.
        fileprivate(set) var isTerminator = false
    }

    private var tests: [Test] = []
    /// The number of each instruction's test, -1 for none.
    private var testOfInstruction: [Int32] = []
    private let sets: [ScalarSet]
    private var testsWords = false
    private var testsLines = false
    private var classes: [Member: Int] = [:]
    private(set) var members: [Member] = []
    /// The class of each scalar of ASCII.
    private(set) var ofASCII: [UInt8] = []
    /// The maximum number of classes.
    private(set) var capacity = 256
    /// A cache of the classes of recent scalars, by their low bits.
    private var recent: [(scalar: UInt32, number: UInt8)] = []

    private static let mostTests = 256
    private static let recentCount = 256

    /// Classifies the scalars of ASCII; fails for a program with too many tests.
    init?(_ program: PatternProgram) {
        sets = program.sets
        var known: [Test: Int32] = [:]
        for instruction in program.code {
            let test: Test
            switch instruction {
            case .scalar(let scalar): test = .scalar(scalar)
            case .folded(let scalar): test = .folded(scalar)
            case .set(let number): test = .set(number)
            case .assertion(let assertion):
                testsWords = testsWords || assertion.isAboutWords
                testsLines = testsLines || assertion.isAboutLines
                fallthrough
            default:
                testOfInstruction.append(-1)
                continue
            }
            let number = known[test] ?? Int32(tests.count)
            if Int(number) == tests.count {
                known[test] = number
                tests.append(test)
            }
            testOfInstruction.append(number)
        }
        if tests.count > ScalarClasses.mostTests { return nil }
        for scalar in 0..<UInt32(128) { ofASCII.append(UInt8(truncatingIfNeeded: classify(scalar) ?? 0)) }
        // Some capacity for classes beyond ASCII.
        capacity = min(members.count + 24, 256)
        recent = Array(repeating: (.max, 0), count: ScalarClasses.recentCount)
    }

    /// Returns the class of a scalar; `nil` if there are too many classes.
    mutating func number(of scalar: UInt32) -> Int? {
        if scalar < 128 { return Int(ofASCII[Int(scalar)]) }
        let slot = Int(scalar) % ScalarClasses.recentCount
        if recent[slot].scalar == scalar { return Int(recent[slot].number) }
        guard let number = classify(scalar) else { return nil }
        recent[slot] = (scalar, UInt8(truncatingIfNeeded: number))
        return number
    }

    private mutating func classify(_ scalar: UInt32) -> Int? {
        let member = member(scalar)
        if let known = classes[member] { return known }
        if members.count == capacity { return nil }
        classes[member] = members.count
        members.append(member)
        return members.count - 1
    }

    /// Returns whether the scalars of a class pass the test of an instruction.
    func passes(_ number: Int, _ instruction: Int) -> Bool {
        let test = Int(testOfInstruction[instruction])
        return test >= 0 && members[number].passed[test >> 6] >> UInt64(test & 63) & 1 != 0
    }

    private func member(_ scalar: UInt32) -> Member {
        var member = Member(passed: [UInt64](repeating: 0, count: tests.count / 64 + 1))
        for (number, test) in tests.enumerated() {
            let isPassed =
                switch test {
                case .scalar(let wanted): wanted == scalar
                case .folded(let wanted): wanted == ScalarFolding.fold(scalar)
                case .set(let set): sets[Int(set)].contains(scalar)
                }
            if isPassed { member.passed[number >> 6] |= 1 << UInt64(number & 63) }
        }
        member.isWord = testsWords && PatternAssertion.isWord(scalar)
        member.isTerminator = testsLines && PatternAssertion.isTerminator(scalar)
        return member
    }
}
