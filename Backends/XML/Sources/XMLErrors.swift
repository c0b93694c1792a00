import StrataEngine

/// The failures of one operation on one file.
struct XMLErrors {
    let operation: StoreError.Operation
    let path: String?

    func corrupt(_ message: String, entity: String? = nil, key: String? = nil) -> StoreError {
        StoreError(.corrupt, operation, message, path: path, entity: entity, key: key)
    }

    func incompatible(_ message: String, entity: String? = nil, key: String? = nil) -> StoreError {
        StoreError(.incompatibleModel, operation, message, path: path, entity: entity, key: key)
    }

    func tooLarge(_ message: String, entity: String? = nil, key: String? = nil) -> StoreError {
        StoreError(.tooLarge, operation, message, path: path, entity: entity, key: key)
    }

    var changed: StoreError {
        corrupt(
            "checksum mismatch in the file's last comment: the file was damaged or edited; "
                + "to accept what it holds now, remove the line that begins with <!-- crc32c")
    }

    /// Returns the error for the beginning of a file of another format, `nil` if it may be a store of this type.
    func refusal(_ beginning: [UInt8]) -> StoreError? {
        switch FileKind(beginning: beginning) {
        case .nothing, .xml, .markup: return nil
        case let kind: return kind.refusal(operation, path: path)
        }
    }
}
