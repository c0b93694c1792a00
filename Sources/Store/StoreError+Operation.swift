import StrataFiles

extension StoreError {
    /// The same failure, met in the course of another operation.
    public func during(_ operation: String) -> StoreError {
        if operation == self.operation { return self }
        return StoreError(
            code, operation, message, path: path, entity: entity, key: key, underlying: underlying, recovery: recovery,
            conflicts: conflicts)
    }

    /// Runs what a driver was asked for, and names that operation in whatever error comes of it, however deep.
    ///
    /// - Throws: What `body` throws; a ``FileError`` as the ``StoreError`` that it is for the store at `path`.
    public static func naming<T>(_ operation: String, path: String?, _ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as StoreError { throw error.during(operation) } catch let error as FileError {
            throw StoreError(error, operation, path: path)
        }
    }
}
