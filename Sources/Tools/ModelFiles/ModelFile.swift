public import StrataModel

/// A model in a file: what Xcode writes, `.xcdatamodeld` and `.xcdatamodel`, and what it compiles, `.momd` and `.mom`.
///
/// ```swift
/// let file = try ModelFile(contentsOf: "Shop.xcdatamodeld")
/// let model = try file.model()
/// let older = try file.model(version: "Shop 2")
/// for warning in file.warnings { print(warning) }
/// ```
/// All versions are read; a model is made of the requested one. Features that the model lacks are reported as warnings,
/// and stay in the version's ``Version/document``.
public struct ModelFile: Sendable {
    /// One version of a model.
    public struct Version: Sendable {
        /// The name, that of its directory or file without the extension.
        public let name: String
        /// The path of the file that it was read from; `nil` where it was given as bytes.
        public let path: String?
        /// The source with all that Xcode wrote, of Xcode 3 as later versions write it; `nil` for a compiled model.
        public let document: ModelDocument?
        /// The content that the model lacks or changes; empty where the declarations contradict each other.
        public internal(set) var warnings: [ModelFileWarning]
        let declared: Result<ModelDeclarations, ModelFileError>

        /// Returns what the version declares, in the model's terms.
        ///
        /// - Throws: ``ModelFileError`` where something in it means nothing, or contradicts something else.
        public func declarations() throws(ModelFileError) -> ModelDeclarations { try declared.get() }

        /// Returns the source, which says what classes are generated for the model.
        ///
        /// - Throws: ``ModelFileError`` with `noCode` for a compiled model.
        public func source() throws(ModelFileError) -> ModelDocument {
            if let document { return document }
            throw ModelFileError(.noCode, "a compiled model does not say what classes are generated for it; its source does")
        }
    }

    /// The versions, in the order of their names; numbers in them count as numbers.
    public let versions: [Version]
    /// The name of the version that is marked as current, or of the only one; `nil` if there are several unmarked ones.
    public let currentVersionName: String?

    init(versions: [Version], currentVersionName: String?) {
        self.versions = versions
        self.currentVersionName = currentVersionName
    }

    /// Creates the model of one version, which is the current one.
    init(_ version: Version) { self.init(versions: [version], currentVersionName: version.name) }

    /// Creates the model of a document, which is the only version and has no name.
    public init(document: ModelDocument, limits: ModelFileLimits = ModelFileLimits()) {
        self.init(Version("", path: nil, document: document, limits: limits))
    }

    /// Reads the model in a Core Data store's table `Z_MODELCACHE`, compressed; the only version, which has no name.
    ///
    /// - Throws: ``ModelFileError`` if the bytes are no compressed archive of a model.
    public init(modelCache bytes: some Collection<UInt8>, limits: ModelFileLimits = ModelFileLimits()) throws(ModelFileError) {
        try self.init(compiled: try Inflater.inflate(Array(bytes), limit: limits.bytes), limits: limits)
    }

    /// Creates the model in the bytes of a file `.mom`, an archive; the only version, which has no name.
    ///
    /// - Throws: ``ModelFileError`` where the bytes are no archive of a model.
    public init(compiled bytes: some Collection<UInt8>, limits: ModelFileLimits = ModelFileLimits()) throws(ModelFileError) {
        let version = Version("", path: nil, archive: Array(bytes), limits: limits)
        if case .failure(let error) = version.declared, error.code != .inconsistent { throw error }
        self.init(version)
    }

    /// The content that the models of all versions lack or change.
    public var warnings: [ModelFileWarning] { versions.flatMap(\.warnings) }

    /// Returns the version with a name; the current one for `nil`.
    ///
    /// - Throws: ``ModelFileError`` if it does not exist, or none is current.
    public func version(named name: String? = nil) throws(ModelFileError) -> Version {
        guard let wanted = name ?? currentVersionName else {
            throw ModelFileError(
                .noCurrentVersion, "none of the versions \(versions.map(\.name).joined(separator: ", ")) is said to be the current one")
        }
        guard let version = versions.first(where: { $0.name == wanted }) else {
            throw ModelFileError(.unknownVersion, "there is no version \(wanted) among \(versions.map(\.name).joined(separator: ", "))")
        }
        return version
    }

    /// Returns the model of a version, the current one by default.
    ///
    /// - Parameters:
    ///   - name: The name of the version.
    ///   - classes: Returns the class of an entity's objects by name; by default they are plain managed objects.
    ///   - transformers: Returns a transformer by its name; by default values are the stored bytes.
    /// - Throws: ``ModelFileError`` if there is no such version, or it is invalid.
    public func model(
        version name: String? = nil, classes: (String) -> AnyClass? = { _ in nil },
        transformers: (String) -> ValueTransformer? = { _ in nil }
    ) throws(ModelFileError) -> ManagedObjectModel {
        let version = try version(named: name)
        do throws(ModelFileError) {
            return try version.declared.get().model(classes: classes, transformers: transformers)
        } catch {
            throw error.at(version.path)
        }
    }
}

extension ModelFile.Version {
    init(
        _ name: String, path: String?, document: ModelDocument, _ warnings: WarningList = WarningList(), limits: ModelFileLimits
    ) {
        self.init(name, path: path, document: document) { () throws(ModelFileError) in
            try DocumentTranslator.translate(document, warnings, limits: limits)
        }
    }

    init(_ name: String, path: String?, archive bytes: [UInt8], limits: ModelFileLimits) {
        self.init(name, path: path, document: nil) { () throws(ModelFileError) in
            try ArchiveTranslator.translate(bytes, limits: limits)
        }
    }

    init(
        _ name: String, path: String?, document: ModelDocument?,
        declarations: () throws(ModelFileError) -> (ModelDeclarations, [ModelFileWarning])
    ) {
        self.name = name
        self.path = path
        self.document = document
        do throws(ModelFileError) {
            let (declared, warnings) = try declarations()
            self.declared = .success(declared)
            self.warnings = warnings.map { warning in
                var warning = warning
                warning.version = name.isEmpty ? nil : name
                return warning
            }
        } catch {
            declared = .failure(error.at(path))
            warnings = []
        }
    }
}
