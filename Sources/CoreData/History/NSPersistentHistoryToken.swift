import StrataCoordinator
import StrataStore

/// A position in the histories of stores: the last transaction of each that a reader has handled.
///
/// It can be archived, and is valid in any process that has the stores open.
// Unchecked: all that it holds is a constant.
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private static let numbersKey = "numbers"
    final let token: HistoryToken

    init(_ token: HistoryToken) { self.token = token }

    /// Returns the token itself, as it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: - Archiving

    /// Whether archives may be read that name their classes: true.
    open class var supportsSecureCoding: Bool { true }

    /// Archives the numbers of the transactions, by the identifiers of the stores.
    open func encode(with coder: NSCoder) {
        let numbers = Dictionary(uniqueKeysWithValues: token.numbers.map { ($0.rawValue, NSNumber(value: $1)) })
        coder.encode(NSDictionary(dictionary: numbers), forKey: NSPersistentHistoryToken.numbersKey)
    }

    /// Creates the token from an archive; `nil` if it contains none.
    public required init?(coder: NSCoder) {
        let classes = [NSDictionary.self, NSString.self, NSNumber.self]
        guard let archived = coder.decodeObject(of: classes, forKey: NSPersistentHistoryToken.numbersKey) as? NSDictionary,
            let numbers = archived as? [String: NSNumber]
        else { return nil }
        token = HistoryToken(Dictionary(uniqueKeysWithValues: numbers.map { (StoreID($0), $1.int64Value) }))
    }

    // MARK: - Comparing

    /// The numbers of the stores with a transaction.
    private final var numbers: [StoreID: Int64] { token.numbers.filter { $0.value != 0 } }

    /// Returns whether two tokens are of the same transactions.
    open override func isEqual(_ object: Any?) -> Bool { (object as? NSPersistentHistoryToken)?.numbers == numbers }
    open override var hash: Int { numbers.hashValue }
    open override var description: String {
        "<NSPersistentHistoryToken - \(token.numbers.map { "\($0): \($1)" }.sorted().joined(separator: ", "))>"
    }
}

extension NSPersistentStoreCoordinator {
    /// Returns the token of the last transactions of some stores, `nil` for all; `nil` where none of them has a history.
    public final func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        let opened = ((stores as? [NSPersistentStore]) ?? persistentStores).compactMap { try? $0.opened }
        var token = HistoryToken()
        for store in opened {
            guard let own = try? coordinator.history.currentToken(of: [store]) else { continue }
            token.advance(to: own)
        }
        return token.numbers.isEmpty ? nil : NSPersistentHistoryToken(token)
    }
}
