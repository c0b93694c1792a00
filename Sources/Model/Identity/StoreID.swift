/// The identity of a store, independent of its location, stored in its metadata, and shared by its copies.
///
/// It is the text of a UUID in stores that Strata or Core Data made.
public struct StoreID: RawRepresentable, Hashable, Sendable, Codable {
    /// The ID as text.
    public let rawValue: String

    /// Creates the ID with a text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates the ID with a text.
    public init(_ text: String) { rawValue = text }
}

extension StoreID: Comparable {
    public static func < (a: StoreID, b: StoreID) -> Bool { a.rawValue < b.rawValue }
}

extension StoreID: CustomStringConvertible {
    /// The ID as text.
    public var description: String { rawValue }
}

extension StoreID: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { rawValue = value }
}
