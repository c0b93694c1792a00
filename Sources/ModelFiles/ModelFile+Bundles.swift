extension ModelFile {
    /// The model at a path: a bundle `.xcdatamodeld` with all its versions, or a single `.xcdatamodel`.
    ///
    /// The current version is the one that `.xccurrentversion` names. Where that is missing or empty, it is the only version; of several
    /// versions none is the current one then, and a model is made of the one whose name is given.
    ///
    /// - Throws: ``ModelFileError`` where the path leads to no model, or a file in it cannot be read. What contradicts itself within a version
    ///   is found when its model is made.
    public init(contentsOf path: String, limits: ModelFileLimits = ModelFileLimits()) throws(ModelFileError) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard FileReader.exists(path) else { throw ModelFileError(.unreadable, path: path, "there is no such file or directory") }
        switch FilePath.fileExtension(path) {
        case "xcdatamodeld": try self.init(bundle: path, limits: limits)
        case "xcdatamodel":
            let version = try Version(source: path, limits: limits)
            self.init(versions: [version], currentVersionName: version.name, limits: limits)
        case let other:
            throw ModelFileError(.notAModel, path: path, "a file with the extension \"\(other)\" is no model")
        }
    }

    private init(bundle path: String, limits: ModelFileLimits) throws(ModelFileError) {
        let names = try FileReader.names(in: path).filter { FilePath.fileExtension($0) == "xcdatamodel" }
        guard !names.isEmpty else { throw ModelFileError(.missingContents, path: path, "the bundle has no version") }
        guard names.count <= limits.versions else {
            throw ModelFileError(.limitExceeded, path: path, "the bundle has more than \(limits.versions) versions")
        }
        var versions: [Version] = []
        for name in names.sorted(by: FilePath.precedes) { versions.append(try Version(source: "\(path)/\(name)", limits: limits)) }
        var current = versions.count == 1 ? versions[0].name : nil
        let pointer = "\(path)/.xccurrentversion"
        if FileReader.exists(pointer), let named = try CurrentVersion.name(in: pointer) {
            let name = FilePath.fileExtension(named) == "xcdatamodel" ? FilePath.name(named) : named
            guard versions.contains(where: { $0.name == name }) else {
                throw ModelFileError(.unknownVersion, path: pointer, "the current version \(name) is not in the bundle")
            }
            current = name
        }
        self.init(versions: versions, currentVersionName: current, limits: limits)
    }
}

extension ModelFile.Version {
    fileprivate init(source path: String, limits: ModelFileLimits) throws(ModelFileError) {
        guard FileReader.isDirectory(path) else { throw ModelFileError(.notAModel, path: path, "a model is a directory") }
        let contents = "\(path)/contents"
        guard FileReader.exists(contents) else { throw ModelFileError(.missingContents, path: path, "the model has no contents") }
        let document = try ModelDocument(contentsOf: contents, limits: limits)
        self.init(FilePath.name(path), path: contents, document: document, limits: limits)
    }
}

/// The property list that names a bundle's current version.
enum CurrentVersion {
    /// The name of the version's directory; `nil` where the list is empty.
    static func name(in path: String) throws(ModelFileError) -> String? {
        do throws(ModelFileError) {
            let list = try PropertyListText.dictionary(try FileReader.bytes(of: path, limit: 1 << 20))
            guard let value = list["_XCCurrentVersionName"] else { return nil }
            guard value.name == "string" else { throw ModelFileError(.invalidValue, line: value.line, "_XCCurrentVersionName is no text") }
            return value.text.isEmpty ? nil : value.text
        } catch {
            throw error.at(path)
        }
    }
}

/// Property lists in XML.
enum PropertyListText {
    /// The elements of the list's dictionary by their keys; empty for an empty file.
    static func dictionary(_ bytes: [UInt8]) throws(ModelFileError) -> [String: ModelDocument.Element] {
        guard bytes.contains(where: { $0 > 0x20 }) else { return [:] }
        var reader = try DocumentReader(bytes, limits: ModelFileLimits(), allowsDocumentType: true)
        let root = try reader.document()
        guard root.name == "plist", let list = root.children.first, list.name == "dict" else {
            throw ModelFileError(.malformedArchive, line: root.line, "the property list is no dictionary")
        }
        return try dictionary(list)
    }

    static func dictionary(_ list: ModelDocument.Element) throws(ModelFileError) -> [String: ModelDocument.Element] {
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
