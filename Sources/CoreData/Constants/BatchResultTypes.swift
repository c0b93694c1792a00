/// The kinds of results of a batch insertion.
public enum NSBatchInsertRequestResultType: UInt, Hashable, Sendable {
    /// Whether it was done.
    case statusOnly = 0
    /// The IDs of the objects.
    case objectIDs = 1
    /// The number of objects.
    case count = 2
}

/// The kinds of results of a batch update.
public enum NSBatchUpdateRequestResultType: UInt, Hashable, Sendable {
    /// Whether it was done.
    case statusOnlyResultType = 0
    /// The IDs of the objects.
    case updatedObjectIDsResultType = 1
    /// The number of objects.
    case updatedObjectsCountResultType = 2
}

/// The kinds of results of a batch deletion.
public enum NSBatchDeleteRequestResultType: UInt, Hashable, Sendable {
    /// Whether it was done.
    case resultTypeStatusOnly = 0
    /// The IDs of the objects.
    case resultTypeObjectIDs = 1
    /// The number of objects.
    case resultTypeCount = 2
}
