import StrataPlatform
public import StrataText

extension Value {
    /// Orders two values as predicates do: numbers by magnitude, truth values as 0 and 1, text and URLs by bytes.
    public func compare(_ other: Value) -> Ordering {
        switch (self, other) {
        case (.int(let a), .int(let b)): Ordering(a, b)
        case (.double(let a), .double(let b)): Ordering(a, b)
        case (.int(let a), .double(let b)): Value.order(a, b)
        case (.double(let a), .int(let b)): Value.order(b, a).reversed
        case (.decimal, .int), (.decimal, .double), (.int, .decimal), (.double, .decimal), (.decimal, .decimal): compareAsDecimals(other)
        case (.bool(let a), .bool(let b)): Ordering(a ? 1 : 0, b ? 1 : 0)
        case (.bool(let a), .int(let b)): Ordering(a ? 1 : 0, b)
        case (.int(let a), .bool(let b)): Ordering(a, b ? 1 : 0)
        case (.bool(let a), .double), (.bool(let a), .decimal): Value.int(a ? 1 : 0).compare(other)
        case (.double, .bool(let b)), (.decimal, .bool(let b)): compare(.int(b ? 1 : 0))
        case (.string(let a), .string(let b)): Value.orderUTF8(a, b)
        case (.date(let a), .date(let b)): Ordering(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate)
        case (.data(let a), .data(let b)): a.lexicographicallyPrecedes(b) ? .less : a == b ? .equal : .greater
        case (.uuid(let a), .uuid(let b)): Ordering(a.uuidString, b.uuidString)
        case (.url(let a), .url(let b)): Value.orderUTF8(a.absoluteString, b.absoluteString)
        case (.url(let a), .string(let b)): Value.orderUTF8(a.absoluteString, b)
        case (.string(let a), .url(let b)): Value.orderUTF8(a, b.absoluteString)
        case (.objectID(let a), .objectID(let b)):
            a == b ? .equal : a.reference == b.reference ? .unordered : Ordering(a.reference, b.reference)
        default: .unordered
        }
    }

    /// Returns whether two values are equal in predicates: `nil` equals `nil`, numbers by magnitude, text by bytes.
    public func equals(_ other: Value) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.objectID(let a), .objectID(let b)): a == b
        case (.list(let a), .list(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.equals($1) }
        default: compare(other) == .equal
        }
    }

    /// Orders an integer and a floating-point number exactly, also beyond 2⁵³.
    static func order(_ a: Int64, _ b: Double) -> Ordering {
        if b.isNaN { return .unordered }
        if b >= 0x1p63 { return .less }
        if b < -0x1p63 { return .greater }
        let whole = b.rounded(.down)
        let ordering = Ordering(a, Int64(whole))
        return ordering == .equal && b > whole ? .less : ordering
    }

    static func orderUTF8(_ a: String, _ b: String) -> Ordering {
        var a = a
        var b = b
        return a.withUTF8 { a in
            b.withUTF8 { b in
                unsafe compareBytes(UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b))
            }
        }
    }

    private func compareAsDecimals(_ other: Value) -> Ordering {
        if let a = asDecimal, let b = other.asDecimal { return a.isNaN || b.isNaN ? .unordered : Ordering(a, b) }
        // One is a floating-point number beyond the range of decimals: its magnitude alone decides.
        guard let a = asDouble, let b = other.asDouble else { return .unordered }
        return Ordering(a, b)
    }

    private var asDecimal: Decimal? {
        switch self {
        case .decimal(let value): value
        case .int(let value): Decimal(value)
        case .double(let value) where Int64(exactly: value) != nil: Int64(exactly: value).map { Decimal($0) }
        case .double(let value): (1e-100...1e100).contains(abs(value)) ? Decimal(value) : nil
        default: nil
        }
    }

    private var asDouble: Double? {
        switch self {
        case .decimal(let value): Double(value.description)
        case .double(let value): value
        default: nil
        }
    }
}

extension Value {
    /// Orders two values for sorting, which is total: nil before every value, a NaN after all numbers.
    public func sortOrder(_ other: Value) -> Ordering {
        if isNull || other.isNull { return Ordering(isNull ? 0 : 1, other.isNull ? 0 : 1) }
        let ordering = compare(other)
        return ordering == .unordered ? Ordering(isNaN ? 1 : 0, other.isNaN ? 1 : 0) : ordering
    }

    /// Whether this is a NaN: a floating-point or decimal number, or a date made of one.
    public var isNaN: Bool {
        switch self {
        case .double(let number): number.isNaN
        case .decimal(let number): number.isNaN
        case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
        default: false
        }
    }
}
