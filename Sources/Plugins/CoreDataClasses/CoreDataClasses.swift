import Foundation
import PackagePlugin

/// Generates the accessors of a target's properties with `@NSManaged`, and the classes of the models in its folder.
@main struct CoreDataClasses: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let module = target as? SwiftSourceModuleTarget else { return [] }
        let output = context.pluginWorkDirectoryURL.appending(component: "\(module.moduleName)+CoreData.swift")
        let sources = module.sourceFiles(withSuffix: "swift").map(\.url).filter { $0 != output }.sorted { $0.path < $1.path }
        let models = models(in: module.directoryURL)
        let dependencies = dependencies(of: module)
        var arguments = ["generate", "--module", module.moduleName, "--output", path(output)]
        if !sources.isEmpty { arguments += ["--source"] + sources.map(path) }
        if !models.isEmpty { arguments += ["--model"] + models.map(path) }
        if !dependencies.isEmpty { arguments += ["--dependency"] + dependencies.map { "\($0.module)=\(path($0.file))" } }
        return [
            .buildCommand(
                displayName: "Generating managed accessors of \(module.name)",
                executable: try context.tool(named: "strata-coredata").url,
                arguments: arguments,
                inputFiles: sources + models.flatMap(inputs) + dependencies.map(\.file),
                outputFiles: [output])
        ]
    }

    private func path(_ file: URL) -> String { file.path(percentEncoded: false) }

    /// The Swift files of the modules that a target depends on, except those that CoreData is made of, whose types are known.
    private func dependencies(of target: any Target) -> [(module: String, file: URL)] {
        target.recursiveTargetDependencies.compactMap { $0 as? SwiftSourceModuleTarget }
            .filter { $0.moduleName != "CoreData" && !$0.moduleName.hasPrefix("Strata") }
            .flatMap { module in
                module.sourceFiles(withSuffix: "swift").map(\.url).sorted { $0.path < $1.path }.map { (module.moduleName, $0) }
            }
    }

    /// The models in a folder, those in bundles within their bundles; in the order of their paths.
    private func models(in folder: URL) -> [URL] {
        let entries = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        let models = (entries?.compactMap { $0 as? URL } ?? []).filter { entry in
            entry.pathExtension == "xcdatamodeld"
                || entry.pathExtension == "xcdatamodel" && entry.deletingLastPathComponent().pathExtension != "xcdatamodeld"
        }
        return models.sorted { $0.path < $1.path }
    }

    /// The files of a model: what its versions contain, and what says which is the current one.
    private func inputs(of model: URL) -> [URL] {
        if model.pathExtension == "xcdatamodel" { return [model.appending(component: "contents")] }
        let versions = (try? FileManager.default.contentsOfDirectory(at: model, includingPropertiesForKeys: nil)) ?? []
        let contents = versions.filter { $0.pathExtension == "xcdatamodel" }.map { $0.appending(component: "contents") }
        return ([model.appending(component: ".xccurrentversion")] + contents.sorted { $0.path < $1.path })
            .filter { FileManager.default.fileExists(atPath: path($0)) }
    }
}
