import StrataModel

/// The IDs under which objects with to-many relationships that were read or changed were listed.
///
/// Some have other IDs by now, or are deallocated: a set would hash each when it is listed, renamed and deallocated.
struct ListedOwners {
    private static let least = 256

    private(set) var ids: [ObjectID] = []
    /// The number of IDs from which on those of other objects are discarded.
    private var most = ListedOwners.least

    var isOutgrown: Bool { ids.count >= most }

    mutating func add(_ id: ObjectID) { ids.append(id) }

    /// Discards all but some IDs.
    mutating func keep(_ kept: [ObjectID]) {
        ids = kept
        most = max(ListedOwners.least, 2 * kept.count)
    }
}
