import StrataWorkload

/// When a raw participant makes the entries of its indexes while it imports.
protocol IndexOrder: SendableMetatype {
    static var isDeferred: Bool { get }
}

extension IndexOrder {
    /// The name of a participant that works by this order.
    static func name(of engine: String) -> String { isDeferred ? engine + ", index last" : engine }
}

/// With each row: the indexes are there before the first.
enum IndexPresent: IndexOrder {
    static let isDeferred = false
}

/// After the last row: the indexes are dropped for the import, or their entries appended in their order.
enum IndexDeferred: IndexOrder {
    static let isDeferred = true
}
