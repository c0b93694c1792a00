/// What one object may cost in a step.
struct Ceiling {
    /// Retains and releases.
    let references: Double
    let allocations: Double

    private init(_ references: Double, _ allocations: Double) { (self.references, self.allocations) = (references, allocations) }

    static let inMemory: [String: Ceiling] = [
        "insert": Ceiling(378, 3.3),
        "save inserted": Ceiling(296, 30),
        "fetch": Ceiling(64, 2.2),
        "touch": Ceiling(144, 7.4),
        "set": Ceiling(55, 2.2),
        "relate": Ceiling(148, 3.6),
        "save changes": Ceiling(600, 63),
        // It varies by some 2 %, as objects are hashed by their addresses.
        "walk": Ceiling(187, 20),
        "single save": Ceiling(2290, 124),
    ]

    static let lmdb: [String: Ceiling] = [
        "insert": Ceiling(378, 3.3),
        "save inserted": Ceiling(450, 117),
        "fetch": Ceiling(110, 12.0),
        "touch": Ceiling(144, 7.4),
        "set": Ceiling(55, 2.2),
        "relate": Ceiling(148, 3.6),
        "save changes": Ceiling(780, 78),
        "walk": Ceiling(221, 27),
        "single save": Ceiling(3440, 167),
    ]

    static let sqlite: [String: Ceiling] = [
        "insert": Ceiling(378, 3.3),
        "save inserted": Ceiling(314, 51),
        "fetch": Ceiling(104, 12),
        "touch": Ceiling(144, 7.4),
        "set": Ceiling(55, 2.2),
        "relate": Ceiling(148, 3.6),
        "save changes": Ceiling(710, 80),
        "walk": Ceiling(221, 27),
        "single save": Ceiling(2460, 123),
    ]
}
