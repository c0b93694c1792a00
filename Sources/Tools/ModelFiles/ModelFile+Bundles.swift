extension ModelFile {
    /// Reads the model at a path: a bundle `.xcdatamodeld` or `.momd`, or a single `.xcdatamodel` or `.mom`.
    ///
    /// The current version is the one that `.xccurrentversion` or `VersionInfo.plist` names. Without it, it is the only
    /// version; of several versions none is current then, and models are made by version name.
    ///
    /// - Throws: ``ModelFileError`` if there is no model at the path, or the current version cannot be read, or, if
    ///   none is current, any version. Errors of other versions are reported when their model is made.
    public init(contentsOf path: String, limits: ModelFileLimits = ModelFileLimits()) throws(ModelFileError) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard FileReader.exists(path) else { throw ModelFileError(.unreadable, path: path, "there is no such file or directory") }
        switch FilePath.fileExtension(path) {
        case "xcdatamodeld": try self.init(bundle: path, limits: limits)
        case "xcdatamodel":
            let version = try Version(source: path, limits: limits)
            self.init(versions: [version], currentVersionName: version.name, limits: limits)
        case "mom":
            let version = try Version(compiled: path, limits: limits)
            self.init(versions: [version], currentVersionName: version.name, limits: limits)
        case "momd": try self.init(compiledBundle: path, limits: limits)
        case let other:
            throw ModelFileError(.notAModel, path: path, "a file with the extension \"\(other)\" is no model")
        }
    }

    private init(bundle path: String, limits: ModelFileLimits) throws(ModelFileError) {
        let versions = Versions(try Self.names(in: path, of: "xcdatamodel", limits)) { name throws(ModelFileError) in
            try Version(source: "\(path)/\(name)", limits: limits)
        }
        let pointer = "\(path)/.xccurrentversion"
        let current = FileReader.exists(pointer) ? try CurrentVersion.name(in: pointer, under: "_XCCurrentVersionName") : nil
        try self.init(versions, current: current, of: "xcdatamodel", namedIn: pointer, limits)
    }

    private init(compiledBundle path: String, limits: ModelFileLimits) throws(ModelFileError) {
        let versions = Versions(try Self.names(in: path, of: "mom", limits)) { name throws(ModelFileError) in
            try Version(compiled: "\(path)/\(name)", limits: limits)
        }
        let pointer = "\(path)/VersionInfo.plist"
        let key = "NSManagedObjectModel_CurrentVersionName"
        let current = FileReader.exists(pointer) ? try CurrentVersion.name(in: pointer, under: key) : nil
        try self.init(versions, current: current, of: "mom", namedIn: pointer, limits)
    }

    private static func names(in path: String, of kind: String, _ limits: ModelFileLimits) throws(ModelFileError) -> [String] {
        let names = try FileReader.names(in: path).filter { FilePath.fileExtension($0) == kind }
        guard !names.isEmpty else { throw ModelFileError(.missingContents, path: path, "the bundle has no version") }
        guard names.count <= limits.versions else {
            throw ModelFileError(.limitExceeded, path: path, "the bundle has more than \(limits.versions) versions")
        }
        return names.sorted(by: FilePath.precedes)
    }

    private init(
        _ versions: Versions, current named: String?, of kind: String, namedIn pointer: String, _ limits: ModelFileLimits
    ) throws(ModelFileError) {
        var current = versions.all.count == 1 ? versions.all[0].name : nil
        if let named {
            let name = FilePath.fileExtension(named) == kind ? FilePath.name(named) : named
            guard versions.all.contains(where: { $0.name == name }) else {
                throw ModelFileError(.unknownVersion, path: pointer, "the current version \(name) is not in the bundle")
            }
            current = name
        }
        if let unread = versions.unread.first(where: { current == nil || $0.name == current }) { throw unread.error }
        self.init(versions: versions.all, currentVersionName: current, limits: limits)
    }
}

/// The versions of a bundle, and the errors of unreadable ones.
private struct Versions {
    private(set) var all: [ModelFile.Version] = []
    private(set) var unread: [(name: String, error: ModelFileError)] = []

    init(_ names: [String], _ read: (String) throws(ModelFileError) -> ModelFile.Version) {
        for name in names {
            do throws(ModelFileError) {
                all.append(try read(name))
            } catch {
                unread.append((FilePath.name(name), error))
                all.append(
                    ModelFile.Version(FilePath.name(name), path: error.path, document: nil) { () throws(ModelFileError) in throw error })
            }
        }
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

    fileprivate init(compiled path: String, limits: ModelFileLimits) throws(ModelFileError) {
        let bytes = try FileReader.bytes(of: path, limit: limits.bytes)
        self.init(FilePath.name(path), path: path, archive: bytes, limits: limits)
    }
}
