import StrataModel

/// The registered objects of one store and entity tree by reference: open addressing over plain words.
///
/// The table does not keep the objects alive; they leave it as they go.
final class IdentityTable {
    private var keys: [Int64]
    private var objects: [Unmanaged<ManagedObject>?]
    private(set) var count = 0
    private var mask: Int

    init() {
        keys = [Int64](repeating: 0, count: 16)
        objects = [Unmanaged<ManagedObject>?](repeating: nil, count: 16)
        mask = 15
    }

    @inline(__always)
    private func home(_ key: Int64) -> Int {
        Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
    }

    subscript(key: Int64) -> ManagedObject? {
        var place = home(key)
        while let object = objects[place] {
            if keys[place] == key { return object.takeUnretainedValue() }
            place = (place + 1) & mask
        }
        return nil
    }

    func insert(_ object: ManagedObject, _ key: Int64) {
        if (count + 1) * 4 > objects.count * 3 { resize(objects.count * 2) }
        var place = home(key)
        while objects[place] != nil && keys[place] != key { place = (place + 1) & mask }
        if objects[place] == nil { count += 1 }
        keys[place] = key
        objects[place] = Unmanaged.passUnretained(object)
    }

    /// Makes room for more objects at once.
    func reserve(_ more: Int) {
        var capacity = objects.count
        while (count + more) * 4 > capacity * 3 { capacity *= 2 }
        if capacity > objects.count { resize(capacity) }
    }

    /// Removes an object; does nothing where another one has its place.
    func remove(_ object: ManagedObject, _ key: Int64) {
        var place = home(key)
        while let found = objects[place], keys[place] != key || found.toOpaque() != Unmanaged.passUnretained(object).toOpaque() {
            place = (place + 1) & mask
        }
        guard objects[place] != nil else { return }
        count -= 1
        // Closes the gap so that no search ends too early.
        var gap = place
        var next = (place + 1) & mask
        while objects[next] != nil {
            let distance = (next - home(keys[next])) & mask
            if distance >= (next - gap) & mask {
                keys[gap] = keys[next]
                objects[gap] = objects[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        objects[gap] = nil
    }

    var all: [ManagedObject] { objects.compactMap { $0?.takeUnretainedValue() } }

    /// Runs `body` for each object without keeping it alive longer.
    func forEach(_ body: (ManagedObject) -> Void) {
        for object in objects { object.map { body($0.takeUnretainedValue()) } }
    }

    private func resize(_ capacity: Int) {
        let (oldKeys, oldObjects) = (keys, objects)
        keys = [Int64](repeating: 0, count: capacity)
        objects = [Unmanaged<ManagedObject>?](repeating: nil, count: capacity)
        mask = capacity - 1
        for (place, object) in oldObjects.enumerated() where object != nil {
            var target = home(oldKeys[place])
            while objects[target] != nil { target = (target + 1) & mask }
            keys[target] = oldKeys[place]
            objects[target] = object
        }
    }
}
