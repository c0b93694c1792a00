public import StrataGraph
import StrataModel

/// Redeclares unsupported members of Foundation's `NSSortDescriptor` on Linux, unambiguously by a protocol.
public protocol KeyedSortDescriptor {}

extension NSSortDescriptor: KeyedSortDescriptor {}

extension KeyedSortDescriptor where Self: NSSortDescriptor {
    /// Sorts by the property at the end of a key path; by the objects themselves for `nil` and `"self"`.
    ///
    /// Nil comes first; text is ordered by its bytes.
    public init(key: String?, ascending: Bool) { self = Self.from(KeySortDescriptor(.key(key), ascending, .selector(nil))) }

    /// Sorts by a property, compared as one of Foundation's methods does: `compare:`, `caseInsensitiveCompare:`,
    /// `localizedCompare:`, `localizedCaseInsensitiveCompare:` or `localizedStandardCompare:`.
    ///
    /// Another selector fails when it compares: in a fetch with an error, in memory it traps.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        self = Self.from(KeySortDescriptor(.key(key), ascending, .selector(selector)))
    }

    /// Sorts by a property, compared by a closure with the values, `NSNull` for nil; in memory only.
    public init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
        self = Self.from(KeySortDescriptor(.key(key), ascending, .comparator(cmptr)))
    }

    /// Sorts by the value at a key path, of any type: an optional, a text, a number, a date, any comparable value.
    ///
    /// A fetch needs a key path to a property of the model.
    public init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self = Self.from(KeySortDescriptor(.path(keyPath), ascending, .selector(nil)))
    }

    /// The key path to sort by; `nil` where a Swift key path references a property without a name.
    public var key: String? {
        if let keyed = self as? KeySortDescriptor { return keyed.name }
        return try? KeyPathName.name(of: keyPath)
    }

    /// The selector that compares, `nil` where a closure does.
    public var selector: Selector? {
        guard let keyed = self as? KeySortDescriptor else { return Selector("compare:") }
        guard case .selector(let selector) = keyed.comparison else { return nil }
        return selector ?? Selector("compare:")
    }

    /// Has no effect: sort descriptors do not come from archives.
    public func allowEvaluation() {}

    static func from(_ descriptor: KeySortDescriptor) -> Self {
        guard let descriptor = descriptor as? Self else { programmerError("\(descriptor) is no \(Self.self)") }
        return descriptor
    }

    /// Sorts as a `SortDescriptor` does: `NSSortDescriptor(SortDescriptor(\Person.name, order: .reverse))`.
    ///
    /// Text is ordered by its bytes, as Foundation has no other order for a `SortDescriptor` on Linux.
    public init<Compared: ManagedObject>(_ sortDescriptor: SortDescriptor<Compared>) { self = Self.made(sortDescriptor) }

    /// Sorts as a `SortDescriptor` of other objects does.
    public init<Compared: NSObject>(_ sortDescriptor: SortDescriptor<Compared>) { self = Self.made(sortDescriptor) }

    private static func made<Compared>(_ sortDescriptor: SortDescriptor<Compared>) -> Self {
        if let keyPath = sortDescriptor.keyPath {
            return from(KeySortDescriptor(.path(keyPath), sortDescriptor.order == .forward, .selector(nil)))
        }
        let descriptor = KeySortDescriptor(
            .key(nil), true,
            .comparator { first, second in
                guard let first = first as? Compared, let second = second as? Compared else { return .orderedSame }
                return sortDescriptor.compare(first, second)
            })
        return from(descriptor)
    }
}
