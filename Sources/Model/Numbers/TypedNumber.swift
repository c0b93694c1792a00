/// A number with a type of its own, so that the compiler distinguishes it from others.
///
/// It costs nothing at run time.
public protocol TypedNumber: RawRepresentable, Hashable, Comparable, Sendable, Codable, ExpressibleByIntegerLiteral, CustomStringConvertible
where RawValue: FixedWidthInteger & Sendable & Codable {
    /// Creates the number.
    init(rawValue: RawValue)
}

extension TypedNumber {
    /// Creates the number.
    ///
    /// - Precondition: It is within the bounds of `RawValue`.
    @inlinable public init(_ number: some BinaryInteger) { self.init(rawValue: RawValue(number)) }

    @inlinable public init(integerLiteral value: RawValue.IntegerLiteralType) { self.init(rawValue: RawValue(integerLiteral: value)) }

    @inlinable public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// The number alone.
    public var description: String { rawValue.description }
}

/// A typed number that is an index from 0, as an array's is.
public protocol TypedIndex: TypedNumber, Strideable where RawValue == Int, Stride == Int {}

extension TypedIndex {
    // Strideable has one too.
    @inlinable public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    @inlinable public func distance(to other: Self) -> Int { other.rawValue - rawValue }

    @inlinable public func advanced(by count: Int) -> Self { Self(rawValue: rawValue + count) }
}

extension Array {
    /// Returns the indexes of all elements.
    @inlinable public func typedIndices<Index: TypedIndex>(_: Index.Type = Index.self) -> Range<Index> { 0..<Index(rawValue: count) }

    /// The element at an index.
    @inlinable
    public subscript(index: some TypedIndex) -> Element {
        get { self[index.rawValue] }
        _modify { yield &self[index.rawValue] }
    }
}
