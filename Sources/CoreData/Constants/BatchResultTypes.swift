/// What a batch insertion answers.
public enum NSBatchInsertRequestResultType: UInt, Hashable, Sendable {
    /// Whether it was done.
    case statusOnly = 0
    /// The IDs of the objects.
    case objectIDs = 1
    /// The number of objects.
    case count = 2
}

/// What a batch update answers.
public enum NSBatchUpdateRequestResultType: UInt, Hashable, Sendable {
    /// Whether it was done.
    case statusOnlyResultType = 0
    /// The IDs of the objects.
    case updatedObjectIDsResultType = 1
    /// The number of objects.
    case updatedObjectsCountResultType = 2
}

/// What a batch deletion answers.
public enum NSBatchDeleteRequestResultType: UInt, Hashable, Sendable {
    /// Whether it was done.
    case resultTypeStatusOnly = 0
    /// The IDs of the objects.
    case resultTypeObjectIDs = 1
    /// The number of objects.
    case resultTypeCount = 2
}
