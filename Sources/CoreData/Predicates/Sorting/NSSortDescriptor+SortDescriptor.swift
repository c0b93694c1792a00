public import Foundation
public import StrataGraph

extension KeyedSortDescriptor where Self: NSSortDescriptor {
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
