import StrataStore

/// The failures of one operation on one file.
struct BinaryErrors {
    let operation: String
    let path: String?

    func corrupt(_ message: String, entity: String? = nil) -> StoreError {
        StoreError(.corrupt, operation, message, path: path, entity: entity)
    }

    func incompatible(_ message: String, entity: String? = nil) -> StoreError {
        StoreError(.incompatibleModel, operation, message, path: path, entity: entity)
    }

    /// Why a file that does not begin with the format's magic is refused.
    func refusal(_ bytes: UnsafeRawBufferPointer) -> StoreError {
        func begins(_ text: String) -> Bool { bytes.starts(with: Array(text.utf8)) }
        if begins("SQLite format 3\u{0}") { return wrongType("an SQLite") }
        if bytes.count >= 20, bytes[16..<20].elementsEqual([0xDE, 0xC0, 0xEF, 0xBE]) { return wrongType("an LMDB") }
        if begins("<?xml"), String(decoding: bytes.prefix(400), as: UTF8.self).contains("<database>") { return wrongType("an XML") }
        if bytes.count < FileLayout.magic.count, FileLayout.magic.starts(with: bytes) { return corrupt("the file ends early") }
        return StoreError(.foreign, operation, "the file is no store", path: path)
    }

    private func wrongType(_ kind: String) -> StoreError { StoreError(.wrongType, operation, "the file is \(kind) store", path: path) }
}
