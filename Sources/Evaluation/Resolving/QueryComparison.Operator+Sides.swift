extension QueryComparison.Operator {
    /// Whether the operator compares text only.
    public var isTextual: Bool {
        switch self {
        case .contains, .beginsWith, .endsWith, .like, .matches: true
        default: false
        }
    }

    var comparesObjects: Bool { self == .equal || self == .notEqual || self == .isIn }

    /// Returns whether a reference is before or after another, as the operator asks; `nil` for an operator that asks for no order.
    func orders(_ reference: Int64, _ other: Int64) -> Bool? {
        switch self {
        case .less: reference < other
        case .lessOrEqual: reference <= other
        case .greater: reference > other
        case .greaterOrEqual: reference >= other
        default: nil
        }
    }

    /// The operator with its operands exchanged; `nil` where there is none.
    public var mirrored: QueryComparison.Operator? {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: nil
        }
    }

    /// Returns the operator for exchanged sides, where a constant is on the left; `nil` where there is none.
    func mirrored(around constant: Value, _ path: PropertyPath) -> QueryComparison.Operator? {
        switch (self, constant) {
        case (.isIn, .string) where path.isText: .contains
        case (.contains, .list): .isIn
        default: mirrored
        }
    }
}
