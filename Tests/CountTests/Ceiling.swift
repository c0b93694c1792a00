/// What one object may cost in a step.
struct Ceiling {
    /// Retains and releases.
    let references: Double
    let allocations: Double

    private init(_ references: Double, _ allocations: Double) { (self.references, self.allocations) = (references, allocations) }

    static let inMemory: [String: Ceiling] = [
        "insert": Ceiling(355, 3.3),
        "save inserted": Ceiling(430, 34),
        "fetch": Ceiling(69, 2.2),
        "touch": Ceiling(144, 7.4),
        "set": Ceiling(55, 2.2),
        "relate": Ceiling(314, 9.8),
        "save changes": Ceiling(784, 62),
        "walk": Ceiling(182, 20),
        "single save": Ceiling(2900, 128),
    ]

    static let sqlite: [String: Ceiling] = [
        "insert": Ceiling(355, 3.3),
        "save inserted": Ceiling(448, 55),
        "fetch": Ceiling(110, 12.0),
        "touch": Ceiling(144, 7.4),
        "set": Ceiling(55, 2.2),
        "relate": Ceiling(314, 9.8),
        "save changes": Ceiling(895, 81),
        "walk": Ceiling(221, 27),
        "single save": Ceiling(3060, 127),
    ]
}
