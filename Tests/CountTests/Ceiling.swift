/// What one object may cost in a step.
struct Ceiling {
    /// Retains and releases.
    let references: Double
    let allocations: Double

    private init(_ references: Double, _ allocations: Double) { (self.references, self.allocations) = (references, allocations) }

    static let inMemory: [String: Ceiling] = [
        "insert": Ceiling(556, 10.6),
        "save inserted": Ceiling(578, 44),
        "fetch": Ceiling(79, 2.2),
        "touch": Ceiling(306, 7.4),
        "set": Ceiling(96, 2.2),
        "relate": Ceiling(451, 15.0),
        "save changes": Ceiling(1058, 70),
        "walk": Ceiling(523, 21),
        "single save": Ceiling(3761, 169),
    ]

    static let sqlite: [String: Ceiling] = [
        "insert": Ceiling(556, 10.6),
        "save inserted": Ceiling(595, 65),
        "fetch": Ceiling(120, 12.0),
        "touch": Ceiling(306, 7.4),
        "set": Ceiling(96, 2.2),
        "relate": Ceiling(451, 15.0),
        "save changes": Ceiling(1169, 89),
        "walk": Ceiling(666, 111),
        "single save": Ceiling(4061, 172),
    ]
}
