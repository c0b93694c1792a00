import StrataModel

/// The IDs that a save gives new objects, by the temporary references before them.
struct PermanentIDs {
    /// Temporary references ascend, mostly without gaps: their distance from the least one is the place of the ID.
    private var ids: [ObjectID?]
    private let first: Int64
    /// Those too far from the rest.
    private var stray: [Int64: ObjectID] = [:]

    /// Room for the IDs of some objects, those of them that have temporary ones.
    init(for objects: some Sequence<ManagedObject>) {
        var (count, least, greatest) = (0, Int64.max, Int64.min)
        for object in objects where object.objectID.isTemporary {
            count += 1
            least = min(least, object.objectID.reference)
            greatest = max(greatest, object.objectID.reference)
        }
        first = least
        ids = count == 0 ? [] : Array(repeating: nil, count: Int(min(greatest &- least, Int64(count) * 4)) + 1)
    }

    /// The ID in the place of a temporary reference.
    subscript(temporary: Int64) -> ObjectID? {
        get {
            let place = temporary &- first
            return place >= 0 && place < Int64(ids.count) ? ids[Int(place)] : stray[temporary]
        }
        set {
            let place = temporary &- first
            if place >= 0 && place < Int64(ids.count) { ids[Int(place)] = newValue } else { stray[temporary] = newValue }
        }
    }
}
