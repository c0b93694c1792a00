public import StrataQuery

/// The short forms under Core Data's names.
extension ObjectFetchRequest {
    /// Core Data's name of ``sort``.
    public var sortDescriptors: [QuerySort] {
        get { sort }
        set { sort = newValue }
    }

    /// ``limit`` as Core Data has it, where 0 represents all results; a ``limit`` of 0, which asks for none, reads as 0
    /// too.
    public var fetchLimit: Int {
        get { limit ?? 0 }
        set { limit = newValue == 0 ? nil : newValue }
    }

    /// Core Data's name of ``offset``.
    public var fetchOffset: Int {
        get { offset }
        set { offset = newValue }
    }
}
