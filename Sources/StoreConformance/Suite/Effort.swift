import FoundationEssentials

/// How much a case tries of what it generates: a sample by default, more with `STRATA_SOAK=1`.
enum Effort {
    static let isSoak = ProcessInfo.processInfo.environment["STRATA_SOAK"].map { $0 != "0" && !$0.isEmpty } ?? false

    /// Returns a number for a sample, or for a soak.
    static func count(_ sample: Int, soak: Int) -> Int { isSoak ? soak : sample }

    /// Whether a combination of two choices, by their indices, is tried: one of so many in a sample, all in a soak.
    static func tries(_ first: Int, _ second: Int, oneOf count: Int) -> Bool { isSoak || (first + second) % count == 0 }
}
