import StrataModel

/// The property list with the name of a bundle's current version.
enum CurrentVersion {
    /// Returns the name under a key of the list, in XML or binary; `nil` if the list is empty.
    static func name(in path: String, under key: String) throws(ModelFileError) -> String? {
        do throws(ModelFileError) {
            let bytes = try FileReader.bytes(of: path, limit: 1 << 20)
            if bytes.starts(with: "bplist".utf8) { return try name(inBinary: bytes, under: key) }
            guard let value = try elements(inXML: bytes)[key] else { return nil }
            guard value.name == "string" else { throw ModelFileError(.invalidValue, line: value.line, "\(key) is no text") }
            return value.text.isEmpty ? nil : value.text
        } catch {
            throw error.at(path)
        }
    }

    private static func name(inBinary bytes: [UInt8], under key: String) throws(ModelFileError) -> String? {
        guard case .dictionary(let list)? = BinaryPropertyList.value(in: bytes, nesting: 16) else {
            throw ModelFileError(.malformedArchive, "the property list is damaged, or no dictionary")
        }
        guard let value = list[key] else { return nil }
        guard case .string(let name) = value else { throw ModelFileError(.invalidValue, "\(key) is no text") }
        return name.isEmpty ? nil : name
    }

    /// Returns the elements of a list's dictionary in XML, by key; empty for an empty file.
    private static func elements(inXML bytes: [UInt8]) throws(ModelFileError) -> [String: ModelDocument.Element] {
        guard bytes.contains(where: { $0 > 0x20 }) else { return [:] }
        var reader = try DocumentReader(bytes, limits: ModelFileLimits(), allowsDocumentType: true)
        let root = try reader.document()
        guard root.name == "plist", let list = root.children.first, list.name == "dict" else {
            throw ModelFileError(.malformedArchive, line: root.line, "the property list is no dictionary")
        }
        var values: [String: ModelDocument.Element] = [:]
        for index in stride(from: 0, to: list.children.count, by: 2) {
            let key = list.children[index]
            guard key.name == "key", index + 1 < list.children.count else {
                throw ModelFileError(.malformedArchive, line: key.line, "a dictionary of the property list lacks a key or a value")
            }
            values[key.text] = list.children[index + 1]
        }
        return values
    }
}
