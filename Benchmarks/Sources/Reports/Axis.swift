import Foundation

/// The axis of a plot: from nothing to the largest value, or logarithmic where the values span more than a factor of a hundred.
struct Axis {
    let isLogarithmic: Bool
    private let least: Double
    private let most: Double

    init(_ values: [Double]) {
        let most = values.max() ?? 0
        let least = values.filter { $0 > 0 }.min() ?? most
        isLogarithmic = most > 100 * least
        self.most = most
        // From a power of ten below, so that the least value shows too.
        self.least = isLogarithmic ? pow(10, (log10(least) - 0.1).rounded(.down)) : 0
    }

    /// How far along the axis a value lies, in 0...1.
    func share(_ value: Double) -> Double {
        if most <= 0 { return 0 }
        return isLogarithmic ? max(0, log10(value / least) / log10(most / least)) : value / most
    }

    /// The values to mark: the powers of ten that it passes, or its ends and its middle.
    var ticks: [Double] {
        if most <= 0 { return [] }
        if !isLogarithmic { return [0, most / 2, most] }
        return Array(sequence(first: least) { $0 * 10 }.prefix { $0 <= most * 1.000_001 })
    }
}
