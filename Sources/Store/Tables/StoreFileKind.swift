import StrataFiles

/// The kinds of store file that Strata makes, told apart by how they begin: so that every driver calls the others' stores by one name.
package enum StoreFileKind: Sendable, Hashable {
    case sqlite, xml, binary, lmdb

    /// How many bytes of a file are enough to tell.
    package static let headSize = 512

    /// Recognises the first bytes of a file, ``headSize`` of them or the whole.
    package init?(head: some Collection<UInt8>) {
        let head = Array(head.prefix(StoreFileKind.headSize))
        func has(_ bytes: [UInt8], at offset: Int) -> Bool { head.count >= offset + bytes.count && head[offset...].starts(with: bytes) }
        if has(Array("SQLite format 3\0".utf8), at: 0) {
            self = .sqlite
        } else if has([0x89, 0x53, 0x54, 0x52, 0x41], at: 0) {
            self = .binary
        } else if has([0xDE, 0xC0, 0xEF, 0xBE], at: 16) {
            self = .lmdb
        } else if StoreFileKind.isXML(head) {
            self = .xml
        } else {
            return nil
        }
    }

    /// Whether markup begins with the element of a store, whatever declarations and white space come before it.
    private static func isXML(_ head: [UInt8]) -> Bool {
        var rest = head[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        rest = rest.drop { [9, 10, 13, 32].contains($0) }
        guard rest.first == UInt8(ascii: "<") else { return false }
        let text = String(decoding: rest, as: UTF8.self)
        return text.contains("<database") || text.contains("<!DOCTYPE database")
    }

    /// The kind as messages call it.
    package var name: String {
        switch self {
        case .sqlite: "an SQLite store"
        case .xml: "an XML store"
        case .binary: "a binary store"
        case .lmdb: "an LMDB store"
        }
    }

    /// Refuses a file that begins as one of no store, or of another kind of store.
    ///
    /// - Throws: ``StoreError`` with `wrongType` or `foreign`; nothing where the kind is the expected one.
    package static func refuse(
        head: some Collection<UInt8>, otherThan expected: StoreFileKind, _ operation: String, _ path: String?
    ) throws(StoreError) {
        if let error = refusal(head: head, otherThan: expected, operation, path) { throw error }
    }

    /// Why a file that begins like this is not of a kind; `nil` where it is.
    package static func refusal(
        head: some Collection<UInt8>, otherThan expected: StoreFileKind, _ operation: String, _ path: String?
    ) -> StoreError? {
        guard let kind = StoreFileKind(head: head) else {
            return StoreError(.foreign, operation, "the file is no store of Strata's", path: path)
        }
        if kind == expected { return nil }
        return StoreError(.wrongType, operation, "the file is \(kind.name)", path: path)
    }
}

extension OpenFile {
    /// The bytes that tell a file's kind.
    package func head() throws(FileError) -> [UInt8] {
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: StoreFileKind.headSize) { buffer, count in
            do throws(FileError) { count = try read(into: UnsafeMutableRawBufferPointer(buffer), at: 0) } catch {
                failure = error
                count = 0
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
