import StrataModel
import StrataText
import Synchronization

/// A version of a model that is loaded when it is needed, and must have a given checksum.
///
/// Checksums are those of `NSManagedObjectModel.versionChecksum`, which Xcode logs.
open class NSManagedObjectModelReference: NSObject {
    private enum Origin {
        case model(NSManagedObjectModel)
        case file(URL)
        case name(String, Bundle?)
        case hashes([String: Data], Bundle?)
    }

    private let origin: Origin
    private let found = Mutex<NSManagedObjectModel?>(nil)
    /// The checksum that the version has to have.
    public final let versionChecksum: String

    private init(_ origin: Origin, _ versionChecksum: String) {
        self.origin = origin
        self.versionChecksum = versionChecksum
        super.init()
    }

    /// Creates a reference to an existing model.
    public convenience init(model: NSManagedObjectModel, versionChecksum: String) { self.init(.model(model), versionChecksum) }

    /// Creates a reference to the model in a file, of which a version has the checksum.
    public convenience init(fileURL: URL, versionChecksum: String) { self.init(.file(fileURL), versionChecksum) }

    /// Creates a reference to the version with these hashes, among the resources of a bundle, of the program for `nil`.
    public convenience init(entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String) {
        var hashes: [String: Data] = [:]
        for (name, hash) in versionHash { if let name = name.base as? String, let hash = hash as? Data { hashes[name] = hash } }
        self.init(.hashes(hashes, bundle), versionChecksum)
    }

    /// Creates a reference to the model or version with a name, among the resources of a bundle, or all for `nil`.
    public convenience init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
        self.init(.name(modelName, bundle), versionChecksum)
    }

    /// The model.
    ///
    /// Traps where it is not found, or has another checksum.
    open var resolvedModel: NSManagedObjectModel {
        do { return try resolve() } catch { programmerError("\(error.localizedDescription)") }
    }

    /// Returns the model; throws `NSManagedObjectModelReferenceNotFoundError` if it is missing or changed.
    final func resolve() throws -> NSManagedObjectModel {
        try found.withLock { found in
            if let found { return found }
            let candidates = candidates
            guard let first = candidates.first else { throw notFound("There is no managed object model \(text).") }
            // In a file with several versions the one with the checksum, else the current one.
            let model = candidates.first { $0.versionChecksum == versionChecksum } ?? first
            guard model.versionChecksum == versionChecksum else {
                throw notFound(
                    "The managed object model \(text) has the version checksum \(model.versionChecksum), and not \(versionChecksum).")
            }
            found = model
            return model
        }
    }

    private func notFound(_ text: String) -> NSError { MigrationErrors.staged(NSManagedObjectModelReferenceNotFoundError, text) }

    private var candidates: [NSManagedObjectModel] {
        switch origin {
        case .model(let model): return [model]
        case .file(let url):
            let versions = ((try? ModelReader.models(at: url)) ?? [:]).sortedByKey().map(\.value)
            return [NSManagedObjectModel(contentsOf: url)].compactMap(\.self) + versions
        case .name(let name, let bundle):
            let bundles = bundle.map { [$0] }
            // The name of a version has precedence over that of a model, whose current version it would be.
            let versions = ModelLocator.versions(named: name, in: bundles)
            return versions.isEmpty ? [NSManagedObjectModel.named(name, in: bundles)].compactMap(\.self) : versions
        case .hashes(let hashes, let bundle):
            return ModelLocator.versions(in: bundle.map { [$0] }).map(\.model).filter { $0.entityVersionHashesByName == hashes }
        }
    }

    private var text: String {
        switch origin {
        case .model: "that was given"
        case .file(let url): "at \(url.path)"
        case .name(let name, _): "'\(name)'"
        case .hashes(let hashes, _): "of the entities \(hashes.keys.sorted().joined(separator: ", "))"
        }
    }
}
