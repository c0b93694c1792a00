import StrataModel
import StrataModelFiles
import StrataStore
import StrataText

/// Finds models among the resources of a program.
enum ModelLocator {
    /// The extensions of models, compiled ones first.
    private static let extensions = ["momd", "mom", "xcdatamodeld", "xcdatamodel"]

    /// The bundles of the program: the main one, the loaded ones, and those that SwiftPM puts beside an executable.
    static var bundles: [Bundle] {
        let main = Bundle.main
        let beside = contents(of: main.bundleURL).filter { $0.pathExtension == "resources" }.compactMap { Bundle(path: $0.path) }
        var seen: Set<String> = []
        return ([main] + Bundle.allBundles + beside).filter { seen.insert($0.bundleURL.standardizedFileURL.path).inserted }
    }

    /// Returns the bundles to search for models: those of the program in place of the main one, and in place of none.
    ///
    /// `Bundle.allBundles` is empty as long as no bundle but the main one was used.
    ///
    /// SwiftPM links all targets into one executable and keeps their resources beside it, so `Bundle(for:)` returns a
    /// bundle of the executable's folder for each class: another object than `Bundle.main`, with the same URL.
    static func searched(_ bundles: [Bundle]?) -> [Bundle] {
        guard let bundles, !bundles.isEmpty else { return self.bundles }
        let main = Bundle.main.bundleURL.standardizedFileURL
        return bundles.flatMap { $0.bundleURL.standardizedFileURL == main ? self.bundles : [$0] }
    }

    static func model(named name: String, in bundle: Bundle) -> URL? {
        for folder in folders(of: bundle) {
            for suffix in extensions {
                let url = folder.appendingPathComponent("\(name).\(suffix)")
                if FileManager.default.fileExists(atPath: url.path) { return url }
            }
        }
        return nil
    }

    /// Returns all models among the resources of some bundles, or of the whole program; one of each name per bundle.
    static func models(in bundles: [Bundle]?) -> [URL] {
        searched(bundles).flatMap { bundle in
            let names = files(of: bundle).filter { extensions.contains($0.pathExtension) }.map {
                $0.deletingPathExtension().lastPathComponent
            }
            return Set(names).sorted().compactMap { model(named: $0, in: bundle) }
        }
    }

    /// Returns the sources of a compiled kind among the resources of some bundles.
    static func sources(ofKind kind: String, in bundles: [Bundle]) -> [URL] {
        let source = ["momd": "xcdatamodeld", "mom": "xcdatamodel", "cdm": "xcmappingmodel"][kind]
        return searched(bundles).flatMap { files(of: $0) }.filter { $0.pathExtension == source }
    }

    /// Returns the URL of a model: the given one, or that of its source beside it if it does not exist.
    static func existing(_ url: URL) -> URL {
        let source = ["momd": "xcdatamodeld", "mom": "xcdatamodel"][url.pathExtension]
        guard let source, !FileManager.default.fileExists(atPath: url.path) else { return url }
        let name = url.deletingPathExtension()
        return [source, "xcdatamodeld"].map { name.appendingPathExtension($0) }
            .first { FileManager.default.fileExists(atPath: $0.path) } ?? url
    }

    /// Returns the URL of the current version in a compiled model; the given one where the folder does not name it.
    ///
    /// A model may have a hundred versions, of which a program reads one.
    static func current(in model: URL) -> URL {
        guard let name = VersionList.of(model)?.current else { return model }
        let version = model.appendingPathComponent("\(name).mom")
        return FileManager.default.fileExists(atPath: version.path) ? version : model
    }

    /// Returns all versions of the models in some bundles, or in the whole program, with their names.
    static func versions(in bundles: [Bundle]?) -> [(name: String, model: NSManagedObjectModel)] {
        models(in: bundles).flatMap { url in
            ((try? ModelReader.models(at: url)) ?? [:]).sortedByKey().map { (name: $0.key, model: $0.value) }
        }
    }

    /// Returns the versions of a name of the models in some bundles, or in the whole program, without reading others.
    static func versions(named name: String, in bundles: [Bundle]?) -> [NSManagedObjectModel] {
        models(in: bundles).flatMap { model in
            let versions = versions(in: model)
            return (versions.isEmpty ? [model] : versions).filter { $0.deletingPathExtension().lastPathComponent == name }
        }.compactMap { NSManagedObjectModel(contentsOf: $0) }
    }

    /// Returns the versions of the models in some bundles, or in the whole program, that have entities of a store's metadata.
    ///
    /// A compiled model lists the version hashes, so that only these versions are read; all of them where it does not, or
    /// the store has hashes of an earlier version of Strata.
    static func versions(in bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]) -> [NSManagedObjectModel] {
        guard let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return [] }
        let isListed = StoreInformation.versions(in: metadata)?.hasEarlierHashes == false
        return models(in: bundles).flatMap { model in
            guard isListed, let list = VersionList.of(model), !list.hashes.isEmpty else {
                return (try? ModelReader.models(at: model)).map { Array($0.values) } ?? []
            }
            return list.versions(of: stored).compactMap { NSManagedObjectModel(contentsOf: model.appendingPathComponent("\($0).mom")) }
        }
    }

    static func versions(in folder: URL) -> [URL] { contents(of: folder).filter { ["mom", "xcdatamodel"].contains($0.pathExtension) } }

    private static func folders(of bundle: Bundle) -> [URL] {
        guard let resources = bundle.resourceURL, resources.standardizedFileURL != bundle.bundleURL.standardizedFileURL else {
            return [bundle.bundleURL]
        }
        return [resources, bundle.bundleURL]
    }

    /// Returns the files among the resources of a bundle.
    static func files(of bundle: Bundle) -> [URL] { folders(of: bundle).flatMap { contents(of: $0) } }

    private static func contents(of folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appendingPathComponent($0) }
    }
}

extension NSManagedObjectModel {
    /// Creates the model in a file: the current version of a `.momd` or `.xcdatamodeld`, or a `.mom` or `.xcdatamodel`.
    ///
    /// The source beside a missing compiled model is read instead. `nil` if unreadable, which is logged. A version that the
    /// plugin `CoreDataClasses` compiled is read when it is first used for more than its version hashes.
    public convenience init?(contentsOf url: URL) {
        let existing = ModelLocator.existing(url)
        let current = ModelLocator.current(in: existing)
        let list = VersionList.of(current.deletingLastPathComponent())
        if let listed = list?.hashes(ofWhole: current) {
            self.init()
            readLater(from: current.path, listedHashes: listed)
            return
        }
        do {
            try self.init(ModelFile(contentsOf: current.path).version())
            if let listed = list?.hashes[VersionList.name(of: current)] { take(listedHashes: listed) }
        } catch {
            ModelLog.say("Failed to load model at path: \(existing.path): \(error)")
            return nil
        }
    }

    /// Creates the model of a version in a file.
    convenience init(_ version: ModelFile.Version) throws {
        let reader = try ModelReader(version)
        self.init()
        reader.fill(self)
    }

    /// Returns the model of a name in some bundles, or in the whole program for `nil`; the first that can be read.
    static func named(_ name: String, in bundles: [Bundle]?) -> NSManagedObjectModel? {
        for bundle in ModelLocator.searched(bundles) {
            guard let url = ModelLocator.model(named: name, in: bundle) else { continue }
            if let model = NSManagedObjectModel(contentsOf: url) { return model }
        }
        return nil
    }
}

/// Log messages about models on standard error.
enum ModelLog {
    static func say(_ message: String) { FileHandle.standardError.write(Data("CoreData: error: \(message)\n".utf8)) }
}
