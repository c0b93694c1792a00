import CStrataLMDB
import StrataEngine
import StrataPlatform
import Synchronization

/// The size of the map.
///
/// LMDB unmaps the file before it maps it anew. If that fails, each use of the environment is an access to unmapped memory:
/// so the address space is checked before, and an environment without a map is never used again.
extension LMDBEnvironment {
    /// The size of the map; called within a transaction or alone.
    var mapSize: Int {
        var info = unsafe MDB_envinfo()
        unsafe mdb_env_info(handle, &info)
        return unsafe Int(info.me_mapsize)
    }

    /// Doubles the map; no transaction of the caller may be in progress.
    func grow(until deadline: Deadline) throws { try alone(.save, until: deadline) { try doubleMap() } }

    /// Doubles a map that is nearly full, while that is cheap: without readers.
    func growEarly() { if writers.needsGrowth.load(ordering: .relaxed) { try? grow(until: Deadline(after: 0)) } }

    /// Doubles the map while no transaction is in progress.
    func doubleMap() throws { try resizeMap(.save) { current, _ in current > Int.max / 2 ? [] : [current * 2] } }

    /// Adapts the map to a file that another process has grown, once no transaction is in progress.
    func followGrowth(until deadline: Deadline) throws { try alone(.open, until: deadline) { try adoptMapSize() } }

    /// Adapts the map to a file that another process has grown, while no transaction is in progress.
    func adoptMapSize() throws { try resizeMap(.open) { current, file in [max(current, file.wanted), file.needed] } }

    /// Changes the size of the map to the first of some sizes for which there is address space.
    ///
    /// - Throws: `ENOMEM` if there is none, and the map stays; `StoreError` with `replaced` if the file is no longer LMDB's.
    func resizeMap(_ operation: StoreError.Operation, to sizes: (Int, MetaPages.MapSize) -> [Int]) throws {
        let file: MetaPages.MapSize
        // LMDB maps what the head of a file says, even if it is another file's.
        do { file = try MetaPages.mapSize(of: self.file.descriptor, path) } catch is StoreError { throw replaced(operation) }
        let current = mapSize
        for size in sizes(current, file).map({ max($0, file.needed) }) where LMDBEnvironment.hasAddressSpace(size - current) {
            return try remap(operation, size)
        }
        throw LMDBStatus(code: ENOMEM, call: "mdb_env_set_mapsize")
    }

    /// Maps the file anew; a failure leaves no map, and makes all operations fail from now on.
    func remap(_ operation: StoreError.Operation, _ size: Int) throws {
        let status = unsafe mdb_env_set_mapsize(handle, size)
        if status == MDB_SUCCESS { return }
        throw refuse(
            .io, operation, "the file could not be mapped in its new size; open the store again",
            underlying: LMDBStatus(code: status, call: "mdb_env_set_mapsize"))
    }

    /// Returns whether the process may map some more bytes.
    private static func hasAddressSpace(_ size: Int) -> Bool {
        if size <= 0 { return true }
        let start = unsafe mmap(nil, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else { return false }
        unsafe munmap(start, size)
        return true
    }
}
