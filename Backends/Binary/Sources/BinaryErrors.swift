import StrataEngine

/// The failures of one operation on one file.
struct BinaryErrors {
    let operation: StoreError.Operation
    let path: String?

    func corrupt(_ message: String, entity: String? = nil) -> StoreError {
        StoreError(.corrupt, operation, message, path: path, entity: entity)
    }

    func incompatible(_ message: String, entity: String? = nil) -> StoreError {
        StoreError(.incompatibleModel, operation, message, path: path, entity: entity)
    }

    /// Returns why a file without the format's magic is rejected.
    func refusal(_ bytes: UnsafeRawBufferPointer) -> StoreError {
        if bytes.count < FileLayout.magic.count, unsafe FileLayout.magic.starts(with: bytes) { return corrupt("the file ends early") }
        let kind = unsafe FileKind(beginning: bytes)
        return kind == .binary ? corrupt("the file's first bytes are damaged") : kind.refusal(operation, path: path)
    }
}
