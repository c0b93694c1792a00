import FoundationEssentials

/// A generator that gives the same numbers in every run: SplitMix64.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator of the numbers that a seed determines.
    package init(seed: UInt64) { state = seed }

    /// A generator of another seed in every run, which is printed; `RELIABILITY_SEED` repeats one.
    package static func printed(_ name: String) -> SeededGenerator {
        print("\(name): seed=\(RunSeed.value)")
        return SeededGenerator(seed: RunSeed.value)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// One of some choices, of which there is at least one.
    package mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[Int(next() % UInt64(choices.count))] }
}

/// The seed of all choices that differ between runs.
package enum RunSeed {
    /// `RELIABILITY_SEED`, or another one in every run.
    package static let value: UInt64 =
        ProcessInfo.processInfo.environment["RELIABILITY_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...UInt64(UInt32.max))
}
