extension StoreError {
    /// Returns the error of a path without a store.
    public static func missingStore(_ operation: Operation, at path: String?) -> StoreError {
        StoreError(.missing, operation, "there is no store", path: path)
    }

    /// Returns the error of a store whose directory does not exist.
    public static func missingDirectory(_ directory: String, _ operation: Operation, at path: String?) -> StoreError {
        StoreError(.missing, operation, "the directory does not exist: \(directory)", path: path)
    }
}
