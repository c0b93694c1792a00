extension Dictionary where Key: Comparable {
    /// Returns the keys and values, sorted by key.
    ///
    /// Sorting keys alone shares one specialization among the dictionaries with keys of one type, where sorting pairs
    /// has one for each type of value: these were a fourteenth of the coordinator's code.
    @inlinable
    public func sortedByKey() -> [(key: Key, value: Value)] { keys.sorted().compactMap { key in self[key].map { (key, $0) } } }
}
