import ArgumentParser
import FoundationEssentials
import StrataCoreDataCode
import StrataModelFiles

/// A target on the command line: its module, its sources, its models, and the sources of its dependencies.
struct TargetArguments: ParsableArguments {
    @Option(help: "The name of the target's module.") var module: String
    @Option(name: .customLong("source"), parsing: .upToNextOption, help: "The paths of the target's Swift files.") var sources: [String] =
        []
    @Option(name: .customLong("model"), parsing: .upToNextOption, help: "The paths of the target's models.") var models: [String] = []
    @Option(
        name: .customLong("dependency"), parsing: .upToNextOption,
        help: "Swift files of modules that the target imports, each as the module's name, an equals sign and the path.")
    var dependencies: [String] = []

    func sourceModule() throws -> SourceModule { SourceModule(name: module, files: try sources.map(Files.read)) }

    /// Returns the modules that the target's files name; the others are not read.
    func importedModules(by module: SourceModule) throws -> [SourceModule] {
        var order: [String] = []
        var paths: [String: [String]] = [:]
        for dependency in dependencies {
            guard let sign = dependency.firstIndex(of: "=") else { throw ValidationError("\(dependency) has no name of a module.") }
            let name = String(dependency[..<sign])
            if paths[name] == nil { order.append(name) }
            paths[name, default: []].append(String(dependency[dependency.index(after: sign)...]))
        }
        guard !paths.isEmpty else { return [] }
        var imported: [SourceModule] = []
        var open = module.importedNames
        while let name = open.popFirst() {
            guard let files = paths.removeValue(forKey: name) else { continue }
            let found = SourceModule(name: name, files: try files.map(Files.read))
            imported.append(found)
            open.formUnion(found.importedNames)
        }
        return imported.sorted { (order.firstIndex(of: $0.name) ?? 0) < (order.firstIndex(of: $1.name) ?? 0) }
    }

    func coreDataModels() throws -> [CoreDataModel] {
        try models.map { path in
            try Messages.reporting {
                try CoreDataModel(
                    ModelFile(contentsOf: path), named: URL(filePath: path).deletingPathExtension().lastPathComponent)
            }
        }
    }
}
