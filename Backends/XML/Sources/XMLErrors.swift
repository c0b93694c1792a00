import StrataFiles
import StrataStore

/// The failures of one operation on one file.
struct XMLErrors {
    let operation: String
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
            "the checksum in the file's last comment is another: the file was damaged or edited; "
                + "to accept what it holds now, remove the line that begins with <!-- crc32c"
        )
    }

    /// Why a file that begins like this is not read, `nil` when it may be a store of this type.
    func refusal(_ beginning: [UInt8]) -> StoreError? {
        let kind = StoreFileKind(head: beginning)
        if kind != nil, kind != .xml { return StoreFileKind.refusal(head: beginning, otherThan: .xml, operation, path) }
        var rest = beginning[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        while let byte = rest.first, [9, 10, 13, 32].contains(byte) { rest = rest.dropFirst() }
        guard rest.first == UInt8(ascii: "<") || rest.isEmpty else {
            return StoreError(.foreign, operation, "the file is no XML", path: path)
        }
        return nil
    }
}
