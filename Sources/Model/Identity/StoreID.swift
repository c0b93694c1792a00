/// The identity of a store, independent of its location, stored in its metadata, and shared by its copies.
///
/// It is the text of a UUID in stores that Strata or Core Data made.
public struct StoreID: RawRepresentable, Hashable, Sendable, Codable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The ID as text.
    public let rawValue: String

    /// Creates the ID with a text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates the ID with a text.
    public init(_ text: String) { rawValue = text }

    public init(stringLiteral value: String) { rawValue = value }

    public static func < (a: StoreID, b: StoreID) -> Bool { a.rawValue < b.rawValue }

    /// The ID as text.
    public var description: String { rawValue }
}
