import Foundation
import PackagePlugin

/// Generates the accessors of a target's properties with `@NSManaged`, and the classes of the models in its folder, and makes
/// resources of these models as Xcode does.
@main struct CoreDataClasses: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let module = target as? SwiftSourceModuleTarget else { return [] }
        let folder = context.pluginWorkDirectoryURL
        let sources = module.sourceFiles(withSuffix: "swift").map(\.url).filter { !path($0).hasPrefix(path(folder)) }
            .sorted { $0.path < $1.path }
        let models = models(of: module)
        let dependencies = dependencies(of: module)
        let outputs = (1...parts(sources, models)).map { number in
            folder.appending(component: "\(module.moduleName)+CoreData\(number == 1 ? "" : "\(number)").swift")
        }
        var arguments = ["generate", "--module", module.moduleName, "--output"] + outputs.map(path)
        if !sources.isEmpty { arguments += ["--source"] + sources.map(path) }
        if !models.isEmpty { arguments += ["--model"] + models.map(path) }
        if !dependencies.isEmpty { arguments += ["--dependency"] + dependencies.map { "\($0.module)=\(path($0.file))" } }
        let tool = try context.tool(named: "strata-coredata").url
        let generating = Command.buildCommand(
            displayName: "Generating managed accessors of \(module.name)",
            executable: tool,
            arguments: arguments,
            inputFiles: sources + models.flatMap(inputs) + dependencies.map(\.file),
            outputFiles: outputs)
        // Resources are in one folder.
        var names: Set<String> = []
        let resources = (models + packages(of: module) { $0.pathExtension == "xcmappingmodel" }).map { (model: $0, name: resource(of: $0)) }
            .filter { names.insert($0.name).inserted }
        return [generating]
            + resources.map { model, name in
                .buildCommand(
                    displayName: "Compiling \(model.lastPathComponent)",
                    executable: tool,
                    arguments: [
                        "compile", path(model), "--module", module.moduleName, "--output", path(folder.appending(component: name)),
                    ],
                    inputFiles: inputs(of: model),
                    outputFiles: [folder.appending(component: name)])
            }
    }

    /// Returns the name of a model's resource: `Shop.momd` of `Shop.xcdatamodeld`.
    private func resource(of model: URL) -> String {
        let kinds = ["xcdatamodeld": "momd", "xcdatamodel": "mom", "xcmappingmodel": "cdm"]
        return model.deletingPathExtension().lastPathComponent + "." + (kinds[model.pathExtension] ?? "")
    }

    private func path(_ file: URL) -> String { file.path(percentEncoded: false) }

    /// Returns the number of files: one for about six classes, a power of two, so that it seldom changes.
    ///
    /// The compiler compiles batches of at most 25 files in parallel. One large file would delay the others, and be
    /// recompiled as a whole when one class changes.
    private func parts(_ sources: [URL], _ models: [URL]) -> Int {
        let written = sources.filter { occurrences(of: "@NSManaged", in: $0) > 0 }.count
        let generated = models.flatMap(inputs).map { occurrences(of: "codeGenerationType=", in: $0) }.reduce(0, +)
        var parts = 1
        while parts * 12 <= written + generated { parts *= 2 }
        return parts
    }

    private func occurrences(of text: String, in file: URL) -> Int {
        guard let data = try? Data(contentsOf: file) else { return 0 }
        return String(decoding: data, as: UTF8.self).components(separatedBy: text).count - 1
    }

    /// Returns the Swift files of a target's dependencies, except those of CoreData, whose types are known.
    private func dependencies(of target: any Target) -> [(module: String, file: URL)] {
        target.recursiveTargetDependencies.compactMap { $0 as? SwiftSourceModuleTarget }
            .filter { $0.moduleName != "CoreData" && !$0.moduleName.hasPrefix("Strata") }
            .flatMap { module in
                module.sourceFiles(withSuffix: "swift").map(\.url).sorted { $0.path < $1.path }.map { (module.moduleName, $0) }
            }
    }

    /// Returns the models among a target's files, in bundles too, in the order of their paths; none that it excludes.
    private func models(of module: SwiftSourceModuleTarget) -> [URL] {
        packages(of: module) { file in
            file.pathExtension == "xcdatamodeld"
                || file.pathExtension == "xcdatamodel" && file.deletingLastPathComponent().pathExtension != "xcdatamodeld"
        }
    }

    private func packages(of module: SwiftSourceModuleTarget, where isIncluded: (URL) -> Bool) -> [URL] {
        // A copied folder is one file of the target.
        let files = module.sourceFiles.filter { $0.type != .source }.map(\.url).flatMap { file in
            let entries = FileManager.default.enumerator(at: file, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
            return [file] + (entries?.compactMap { $0 as? URL } ?? [])
        }
        return files.filter(isIncluded).sorted { $0.path < $1.path }
    }

    /// Returns the files of a model: its versions' and the one that names the current version.
    private func inputs(of model: URL) -> [URL] {
        if model.pathExtension == "xcdatamodel" { return [model.appending(component: "contents")] }
        if model.pathExtension == "xcmappingmodel" { return [model.appending(component: "xcmapping.xml")] }
        let versions = (try? FileManager.default.contentsOfDirectory(at: model, includingPropertiesForKeys: nil)) ?? []
        let contents = versions.filter { $0.pathExtension == "xcdatamodel" }.map { $0.appending(component: "contents") }
        return ([model.appending(component: ".xccurrentversion")] + contents.sorted { $0.path < $1.path })
            .filter { FileManager.default.fileExists(atPath: path($0)) }
    }
}
