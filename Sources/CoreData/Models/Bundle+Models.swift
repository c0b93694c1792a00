// Foundation's methods take optional extensions, so overload resolution prefers these for an extension that is a text; the
// name may be optional, as where a resource is looked up by a variable.
extension Bundle {
    /// Returns the URL of a resource, or of the first one with the extension if no name is given; `nil` where there is none.
    ///
    /// The search is Foundation's. A model is also found by its source, since SwiftPM copies models without compiling
    /// them: for `Shop.momd` the result is the URL of `Shop.xcdatamodeld`, and for a mapping model's `.cdm` that of its
    /// `.xcmappingmodel`. A resource that is not in the main bundle is searched for in the bundles of the program's packages.
    public func url(forResource name: String?, withExtension ext: String) -> URL? {
        let known = ModelLocator.searched([self]).lazy.compactMap { $0.url(forResource: name, withExtension: Optional(ext)) }
        if let url = url(forResource: name, withExtension: Optional(ext)) ?? known.first { return url }
        let isNamed = { (url: URL) in name.map { url.deletingPathExtension().lastPathComponent == $0 } ?? true }
        if ext == "cdm" { return ModelLocator.sources(ofKind: ext, in: [self]).first(where: isNamed) }
        return ext == "momd" || ext == "mom" ? ModelLocator.models(in: [self]).first(where: isNamed) : nil
    }

    /// Returns the URL of a resource in a folder of resources, or of the bundle if none is given; `nil` where there is none.
    ///
    /// The versions of a model are found as by ``url(forResource:withExtension:)``: `Shop 2.mom` in `Shop.momd`.
    public func url(forResource name: String?, withExtension ext: String, subdirectory subpath: String?) -> URL? {
        if let url = url(forResource: name, withExtension: Optional(ext), subdirectory: subpath) { return url }
        guard let subpath else { return url(forResource: name, withExtension: ext) }
        guard ext == "mom", let folder = model(inFolder: subpath) else { return nil }
        guard let name else { return ModelLocator.versions(in: folder).first }
        let version = ModelLocator.existing(folder.appendingPathComponent("\(name).mom"))
        return FileManager.default.fileExists(atPath: version.path) ? version : nil
    }

    /// Returns the URLs of all resources of a kind, in a folder of resources if one is given; models and mapping models
    /// also by their sources, as ``url(forResource:withExtension:)`` and
    /// ``url(forResource:withExtension:subdirectory:)`` find them.
    public func urls(forResourcesWithExtension ext: String, subdirectory subpath: String?) -> [URL]? {
        let known = urls(forResourcesWithExtension: Optional(ext), subdirectory: subpath)?.map { $0 as URL }
        guard known?.isEmpty != false else { return known }
        let sources: [URL]
        if let subpath {
            sources = ext == "mom" ? model(inFolder: subpath).map { ModelLocator.versions(in: $0) } ?? [] : []
        } else {
            sources = ModelLocator.sources(ofKind: ext, in: [self])
        }
        return sources.isEmpty ? known : sources
    }

    /// Returns the paths of all resources of a kind, in a folder of resources if one is given.
    ///
    /// Models are found as by ``urls(forResourcesWithExtension:subdirectory:)``.
    public func paths(forResourcesOfType ext: String, inDirectory subpath: String?) -> [String] {
        let known = paths(forResourcesOfType: Optional(ext), inDirectory: subpath)
        return known.isEmpty ? urls(forResourcesWithExtension: ext, subdirectory: subpath)?.map(\.path) ?? [] : known
    }

    private func model(inFolder subpath: String) -> URL? {
        let folder = URL(fileURLWithPath: subpath)
        guard folder.pathExtension == "momd" else { return nil }
        return url(forResource: folder.deletingPathExtension().lastPathComponent, withExtension: "momd")
    }

    /// Returns the path of a resource; `nil` where there is none.
    ///
    /// A model is found as ``url(forResource:withExtension:)`` finds it.
    public func path(forResource name: String?, ofType ext: String) -> String? {
        path(forResource: name, ofType: Optional(ext)) ?? url(forResource: name, withExtension: ext)?.path
    }

    /// Returns the path of a resource in a folder of resources, or of the bundle if none is given; `nil` where there is none.
    ///
    /// A model is found as ``url(forResource:withExtension:subdirectory:)`` finds it.
    public func path(forResource name: String?, ofType ext: String, inDirectory subpath: String?) -> String? {
        path(forResource: name, ofType: Optional(ext), inDirectory: subpath)
            ?? url(forResource: name, withExtension: ext, subdirectory: subpath)?.path
    }
}
