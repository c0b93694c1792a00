extension ModelFile {
    /// Reads the model at a path: a bundle `.xcdatamodeld` or `.momd`, or a single `.xcdatamodel` or `.mom`.
    ///
    /// The current version is the one that `.xccurrentversion` or `VersionInfo.plist` names. Without it, it is the only
    /// version; of several versions none is current then, and models are made by version name.
    ///
    /// A version that has only an `.omo`, Core Data's cache of a compiled model, is a version without model, with a
    /// warning. At the path of an `.omo` the `.mom` beside it is read.
    ///
    /// - Throws: ``ModelFileError`` if there is no model at the path, or the current version cannot be read, or, if
    ///   none is current, any version. Errors of other versions are reported when their model is made.
    public init(contentsOf path: String, limits: ModelFileLimits = ModelFileLimits()) throws(ModelFileError) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard FileReader.exists(path) else { throw ModelFileError(.unreadable, path: path, "there is no such file or directory") }
        switch FilePath.fileExtension(path) {
        case "xcdatamodeld":
            try self.init(bundle: path, .source, limits, Version.init(source:_:))
        case "xcdatamodel": self.init(try Version(source: path, limits))
        case "mom": self.init(try Version(compiled: path, limits))
        case "omo":
            guard let model = ModelFile.compiledModel(beside: path) else { throw Version.missingModel(of: path) }
            var version = try Version(compiled: model, limits)
            version.warn(.leftOut, "\(FilePath.name(path)).omo is Core Data's cache of the model, which is read instead")
            self.init(version)
        case "momd": try self.init(bundle: path, .compiled, limits, Version.init(compiled:_:))
        case let other:
            throw ModelFileError(.notAModel, path: path, "a file with the extension \"\(other)\" is no model")
        }
    }

    /// The names in a bundle of versions.
    private struct BundleNames {
        /// The extension of the versions.
        let version: String
        /// The property list with the name of the current version under `key`.
        let current: String
        let key: String

        static let source = BundleNames(version: "xcdatamodel", current: ".xccurrentversion", key: "_XCCurrentVersionName")
        static let compiled = BundleNames(version: "mom", current: "VersionInfo.plist", key: "NSManagedObjectModel_CurrentVersionName")
    }

    private init(
        bundle path: String, _ bundle: BundleNames, _ limits: ModelFileLimits,
        _ read: (String, ModelFileLimits) throws(ModelFileError) -> Version
    ) throws(ModelFileError) {
        let pointer = "\(path)/\(bundle.current)"
        let names = try Self.names(in: path, of: bundle.version, limits)
        let named = FileReader.exists(pointer) ? try CurrentVersion.name(in: pointer, under: bundle.key) : nil
        var versions: [Version] = []
        var unread: [(name: String, error: ModelFileError)] = []
        for name in names {
            if FilePath.fileExtension(name) == "omo" {
                versions.append(Version(cache: "\(path)/\(name)"))
                continue
            }
            do throws(ModelFileError) { versions.append(try read("\(path)/\(name)", limits)) } catch {
                unread.append((FilePath.name(name), error))
                versions.append(Version(FilePath.name(name), path: error.path, document: nil) { () throws(ModelFileError) in throw error })
            }
        }
        var current = versions.count == 1 ? versions[0].name : nil
        if let named {
            let name = [bundle.version, "omo"].contains(FilePath.fileExtension(named)) ? FilePath.name(named) : named
            guard versions.contains(where: { $0.name == name }) else {
                throw ModelFileError(.unknownVersion, path: pointer, "the current version \(name) is not in the bundle")
            }
            current = name
        }
        if let unread = unread.first(where: { current == nil || $0.name == current }) { throw unread.error }
        self.init(versions: versions, currentVersionName: current)
    }

    private static func names(in path: String, of kind: String, _ limits: ModelFileLimits) throws(ModelFileError) -> [String] {
        let names = try FileReader.names(in: path).filter {
            let isCache = kind == "mom" && FilePath.fileExtension($0) == "omo" && compiledModel(beside: "\(path)/\($0)") == nil
            return FilePath.fileExtension($0) == kind || isCache
        }
        guard !names.isEmpty else { throw ModelFileError(.missingContents, path: path, "the bundle has no version") }
        guard names.count <= limits.versions else {
            throw ModelFileError(.limitExceeded, path: path, "the bundle has more than \(limits.versions) versions")
        }
        return names.sorted(by: FilePath.precedes)
    }

    /// Returns the path of the model beside Core Data's cache of it, `.omo`; `nil` if there is none.
    private static func compiledModel(beside cache: String) -> String? {
        let path = String(cache.dropLast(3)) + "mom"
        return FileReader.exists(path) ? path : nil
    }
}

extension ModelFile.Version {
    fileprivate init(source path: String, _ limits: ModelFileLimits) throws(ModelFileError) {
        guard FileReader.isDirectory(path) else { throw ModelFileError(.notAModel, path: path, "a model is a directory") }
        let (contents, elements) = ("\(path)/contents", "\(path)/elements")
        if !FileReader.exists(contents), FileReader.exists(elements) {
            let bytes = try FileReader.bytes(of: elements, limit: limits.bytes)
            do throws(ModelFileError) {
                let (document, warnings) = try ElementsTranslator.document(bytes, limits: limits)
                self.init(FilePath.name(path), path: elements, document: document, warnings, limits: limits)
                return
            } catch { throw error.at(elements) }
        }
        guard FileReader.exists(contents) else { throw ModelFileError(.missingContents, path: path, "the model has no contents") }
        let document = try ModelDocument(contentsOf: contents, limits: limits)
        self.init(FilePath.name(path), path: contents, document: document, limits: limits)
    }

    fileprivate init(compiled path: String, _ limits: ModelFileLimits) throws(ModelFileError) {
        let bytes = try FileReader.bytes(of: path, limit: limits.bytes)
        guard bytes.first == UInt8(ascii: "<") else {
            self.init(FilePath.name(path), path: path, archive: bytes, limits: limits)
            return
        }
        // What a build here makes of a version is its source in one file.
        let document: ModelDocument
        do throws(ModelFileError) { document = try ModelDocument(parsing: bytes, limits: limits) } catch { throw error.at(path) }
        self.init(FilePath.name(path), path: path, document: document, limits: limits)
    }

    /// Creates a version of which there is nothing but Core Data's cache of it, which is not read.
    fileprivate init(cache path: String) {
        let error = Self.missingModel(of: path)
        self.init(FilePath.name(path), path: path, document: nil) { () throws(ModelFileError) in throw error }
        warn(.unsupported, error.message)
    }

    fileprivate static func missingModel(of cache: String) -> ModelFileError {
        ModelFileError(.missingContents, path: cache, "the version has no .mom, only Core Data's cache of it, whose format is not known")
    }

    fileprivate mutating func warn(_ kind: ModelFileWarning.Kind, _ message: String) {
        warnings.append(ModelFileWarning(kind: kind, version: name, element: "model", line: nil, message: message))
    }
}
