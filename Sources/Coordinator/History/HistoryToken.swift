public import StrataStore

/// A position in the histories of stores of any kind: the last transaction of each that a reader has handled.
///
/// A token can be stored, and used by any process that has the stores open, also after a conversion to another kind of
/// store. It is coded as a dictionary of numbers by the IDs of the stores.
public struct HistoryToken: Sendable, Hashable {
    /// The number of the last transaction of each store.
    public private(set) var numbers: [StoreID: Int64]

    /// Creates a token of numbers; without any it precedes all transactions.
    public init(_ numbers: [StoreID: Int64] = [:]) { self.numbers = numbers }

    /// Returns whether a reader at this token has handled all transactions of another one.
    public func includes(_ other: HistoryToken) -> Bool { other.numbers.allSatisfy { (numbers[$0] ?? 0) >= $1 } }

    /// Moves the token to the later one of its own position and another one, for each store.
    public mutating func advance(to other: HistoryToken) { numbers.merge(other.numbers) { max($0, $1) } }
}

extension HistoryToken: Codable {
    public init(from decoder: any Decoder) throws {
        let numbers = try decoder.singleValueContainer().decode([String: Int64].self)
        self.init(Dictionary(uniqueKeysWithValues: numbers.map { (StoreID($0), $1) }))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Dictionary(uniqueKeysWithValues: numbers.map { ($0.rawValue, $1) }))
    }
}
