extension [ManagedObject] {
    /// Calls `body` with each object without counting a reference to it: the array, which cannot change meanwhile,
    /// retains them all.
    @inline(__always)
    func forEachUncounted(_ body: (ManagedObject) throws -> Void) rethrows {
        try unsafe withUnsafeBytes { bytes in
            let objects = unsafe bytes.assumingMemoryBound(to: Unmanaged<ManagedObject>.self)
            for index in objects.indices { try unsafe objects[index]._withUnsafeGuaranteedRef { try body($0) } }
        }
    }
}
