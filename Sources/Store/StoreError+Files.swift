extension StoreError {
    /// Creates the failure of a file-system call during an operation of a store.
    ///
    /// - Parameters:
    ///   - error: The failure of the call.
    ///   - operation: The operation of the store.
    ///   - path: The path of the store; `nil` for that of the call.
    public init(_ error: FileError, _ operation: StoreError.Operation, path: String? = nil) {
        let code: Code =
            if error.isFull { .full } else if error.isInTheWay { .exists } else if error.isMissing { .missing } else if error.isDenied {
                .denied
            } else if error.isTimeout {
                .locked
            } else if error.isDamage { .corrupt } else { .io }
        let recovery: Recovery? = error.stateIsUnknown ? .reopen : error.isExhausted ? .retryable : nil
        self.init(code, operation, error.description, path: path ?? error.path, underlying: error, recovery: recovery)
    }

    /// Creates the error of a read that needs an unavailable value.
    public init(_ value: UnavailableValue, _ operation: StoreError.Operation, entity: String? = nil, key: String? = nil) {
        let what =
            switch value.reason {
            case .missing: "the file of an external value is missing"
            case .damaged: "checksum mismatch in the file of an external value"
            }
        self.init(.corrupt, operation, what, path: value.path, entity: entity, key: key, underlying: value)
    }

    /// Runs an operation of a driver, and sets that operation in every error that it throws.
    ///
    /// - Throws: What `body` throws; a `FileError` as the corresponding `StoreError` for the store at `path`.
    public static func naming<T>(_ operation: StoreError.Operation, path: String?, _ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as StoreError { throw error.during(operation) } catch let error as FileError {
            throw StoreError(error, operation, path: path)
        }
    }
}

extension FileStatus {
    /// Checks that a file is regular: a store is neither a directory nor a pipe nor a device.
    ///
    /// - Throws: `StoreError` with `foreign`.
    public func requireRegularFile(_ operation: StoreError.Operation, path: String) throws(StoreError) {
        guard kind == .regular else { throw StoreError(.foreign, operation, "not a regular file", path: path) }
    }
}
