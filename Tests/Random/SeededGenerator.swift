import FoundationEssentials

/// A generator that gives the same numbers in every run: SplitMix64.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator of the numbers that a seed determines.
    package init(seed: UInt64) { state = seed }

    /// A generator of the run's seed, which is printed.
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

/// The seed of all choices that may differ between runs.
package enum RunSeed {
    /// `RELIABILITY_SEED`, a number or `random`.
    ///
    /// Without one the same in every run, as a change must not fail by chance, but another one in every soak, which is to find what was
    /// never tried.
    package static let value: UInt64 = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["RELIABILITY_SEED"].flatMap({ UInt64($0) }) { return seed }
        let isChosen = environment["RELIABILITY_SEED"] == "random" || isSoak
        return isChosen ? UInt64.random(in: 1...UInt64(UInt32.max)) : 1
    }()

    /// Whether everything is tried rather than a sample: `STRATA_SOAK=1`.
    package static let isSoak = ProcessInfo.processInfo.environment["STRATA_SOAK"].map { $0 != "0" && !$0.isEmpty } ?? false

    /// Returns the number of random trials: few in each run of the tests, more in a soak.
    package static func trials(_ sample: Int, soak: Int) -> Int { isSoak ? soak : sample }
}
