/// The results that offset and limit leave of all.
@frozen
public struct ResultSlice: Sendable, Hashable {
    /// The number of skipped results; never negative.
    public let offset: Int
    /// The greatest number of results, never negative; `nil` for all.
    public let limit: Int?

    /// Creates a slice; negative numbers count as zero.
    @inlinable
    public init(offset: Int = 0, limit: Int? = nil) {
        self.offset = max(0, offset)
        self.limit = limit.map { max(0, $0) }
    }

    /// Whether all results are left.
    @inlinable
    public var isWhole: Bool { offset == 0 && limit == nil }

    /// Returns the number of results up to the slice's end, including skipped ones and a margin; `nil` without a limit,
    /// or on overflow.
    @inlinable
    public func end(sparing spare: Int = 0) -> Int? {
        guard let limit else { return nil }
        let (end, overflow) = limit.addingReportingOverflow(offset)
        let (sparing, overflowSparing) = end.addingReportingOverflow(spare)
        return overflow || overflowSparing ? nil : sparing
    }

    /// Returns the range of the slice in a number of results.
    @inlinable
    public func range(of count: Int) -> Range<Int> {
        let start = min(offset, count)
        return start..<(limit.map { min(count - start, $0) + start } ?? count)
    }

    /// Returns the elements in the slice.
    @inlinable
    public func callAsFunction<T>(_ elements: [T]) -> [T] { isWhole ? elements : Array(elements[range(of: elements.count)]) }

    /// Returns the number of elements in the slice.
    @inlinable
    public func callAsFunction(_ count: Int) -> Int { range(of: count).count }
}

extension FetchPlan {
    /// The results that offset and limit leave.
    public var slice: ResultSlice { ResultSlice(offset: offset, limit: limit) }
}
