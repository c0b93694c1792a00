import StrataModel
import StrataModelFiles

/// Finds mapping models, and the models that they migrate between.
enum MappingModelLocator {
    private static let suffix = "xcmappingmodel"

    /// Returns the URL of a mapping model: the given one, or that of its source beside it for a missing compiled one.
    static func existing(_ url: URL) -> URL {
        guard url.pathExtension == "cdm", !FileManager.default.fileExists(atPath: url.path) else { return url }
        return url.deletingPathExtension().appendingPathExtension(suffix)
    }

    /// Returns the mapping model at a URL; `nil` if none can be read, which is logged on standard error.
    static func file(at url: URL) -> MappingFile? {
        do { return try MappingFile(contentsOf: url.path) } catch {
            ModelLog.say("Failed to load mapping model at path: \(url.path): \(error)")
            return nil
        }
    }

    /// Returns the mapping models among the resources of some bundles, or of the whole program; of a compiled one, the source if
    /// that is among them, too.
    static func files(in bundles: [Bundle]?) -> [URL] {
        ModelLocator.searched(bundles).flatMap { bundle in
            let files = ModelLocator.files(of: bundle)
            let sources = files.filter { $0.pathExtension == suffix }
            let names = Set(sources.map { $0.deletingPathExtension().lastPathComponent })
            return sources
                + files.filter { $0.pathExtension == "cdm" && !names.contains($0.deletingPathExtension().lastPathComponent) }
        }
    }

    /// Returns the mapping from one model to another in the files of some bundles, or of the whole program.
    static func mapping(from source: ManagedObjectModel, to destination: ManagedObjectModel, in bundles: [Bundle]?) -> MappingModel? {
        var fitting: MappingModel?
        for read in files(in: bundles).compactMap({ ReadMappingFile.at($0) }) {
            let fits = [(read.source, source), (read.destination, destination)].map { version, model in
                version.flatMap { isVersion(model, $0, in: bundles) }
            }
            if fits.contains(false) { continue }
            guard let mapping = try? read.file.mapping(from: source, to: destination) else { continue }
            if fits == [true, true] { return mapping }
            // It does not contradict the models; another file may be for exactly these.
            fitting = fitting ?? mapping
        }
        return fitting
    }

    /// Returns whether a model is the version that a file names; `nil` if that version is not found.
    private static func isVersion(_ model: ManagedObjectModel, _ version: ReadMappingFile.Version, in bundles: [Bundle]?) -> Bool? {
        let hashes = model.entityVersionHashesByName.mapValues { Data($0) }
        if let near = version.near { return near == hashes }
        let versions = ModelLocator.versions(named: version.name, in: bundles)
        return versions.isEmpty ? nil : versions.contains { $0.entityVersionHashesByName == hashes }
    }

    /// Returns the models that a file migrates between; `nil` if one is not found.
    static func models(of file: MappingFile) -> (source: ManagedObjectModel, destination: ManagedObjectModel)? {
        func version(_ path: String?) -> ManagedObjectModel? {
            guard let path else { return nil }
            let found = self.version(at: path, near: file) ?? ModelLocator.versions(named: name(ofVersionAt: path), in: nil).first
            return found.flatMap { try? $0.declared() }
        }
        guard let source = version(file.sourceModelPath), let destination = version(file.destinationModelPath) else { return nil }
        return (source, destination)
    }

    /// Returns the name of the version at a path of Xcode's.
    static func name(ofVersionAt path: String) -> String {
        ((path.split(separator: "/").last.map(String.init) ?? "") as NSString).deletingPathExtension
    }

    /// Returns the version at a path of Xcode's, relative to the file or a parent folder.
    static func version(at path: String, near file: MappingFile) -> NSManagedObjectModel? {
        let parts = path.split(separator: "/").map(String.init)
        var folder = file.path.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        for _ in 0..<4 {
            guard let parent = folder else { break }
            for count in [1, 2, parts.count] where count <= parts.count {
                let candidate = parts.suffix(count).reduce(parent) { $0.appendingPathComponent($1) }
                guard FileManager.default.fileExists(atPath: candidate.path) else { continue }
                if let model = (try? ModelReader.models(at: candidate))?[name(ofVersionAt: path)] { return model }
            }
            folder = parent.deletingLastPathComponent()
        }
        return nil
    }
}
