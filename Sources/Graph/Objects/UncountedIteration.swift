extension [ManagedObject] {
    /// Calls `body` with each object without counting a reference to it: the array, which cannot change meanwhile,
    /// retains them all.
    @inline(__always)
    func forEachUncounted(_ body: (ManagedObject) throws -> Void) rethrows { try forEachUncounted(in: indices, body) }

    /// Calls `body` with each object in a range of indices, as ``forEachUncounted(_:)``.
    @inline(__always)
    func forEachUncounted(in range: Range<Int>, _ body: (ManagedObject) throws -> Void) rethrows {
        precondition(range.isEmpty || (range.lowerBound >= 0 && range.upperBound <= count), "the range is within the array")
        try unsafe withUnsafeBytes { bytes in
            let objects = unsafe bytes.assumingMemoryBound(to: Unmanaged<ManagedObject>.self)
            for index in range { try unsafe objects[index]._withUnsafeGuaranteedRef { try body($0) } }
        }
    }
}
