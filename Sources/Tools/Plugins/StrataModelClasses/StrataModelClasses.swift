import Foundation
import PackagePlugin

/// Generates a target's classes from the model files in its folder.
@main struct StrataModelClasses: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        let tool = try context.tool(named: "strata-model")
        var names: Set<String> = []
        return try models(in: target.directoryURL).compactMap { model in
            let name = model.deletingPathExtension().lastPathComponent
            guard names.insert(name.lowercased()).inserted else {
                Diagnostics.error("\(target.name) has two models \(name)")
                return nil
            }
            let output = context.pluginWorkDirectoryURL.appending(component: "\(name)Model+Generated.swift")
            return .buildCommand(
                displayName: "Generating classes of \(model.lastPathComponent)",
                executable: tool.url,
                arguments: ["generate", model.path(percentEncoded: false), "--single-file", output.path(percentEncoded: false)],
                inputFiles: inputs(of: model),
                outputFiles: [output])
        }
    }

    /// Returns the models in a folder, in bundles too, in the order of their paths.
    private func models(in folder: URL) throws -> [URL] {
        let entries = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isDirectoryKey])
        return try entries.sorted { $0.path < $1.path }.flatMap { entry -> [URL] in
            if ["xcdatamodeld", "xcdatamodel"].contains(entry.pathExtension) { return [entry] }
            let isFolder = try entry.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
            return isFolder && !entry.lastPathComponent.hasPrefix(".") ? try models(in: entry) : []
        }
    }

    /// Returns the inputs of the generated code: the current version's files, and the one that names it.
    private func inputs(of model: URL) -> [URL] {
        if model.pathExtension == "xcdatamodel" { return [model.appending(component: "contents")] }
        let pointer = model.appending(component: ".xccurrentversion")
        if let data = try? Data(contentsOf: pointer),
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any],
            let current = list["_XCCurrentVersionName"] as? String
        {
            return [pointer, model.appending(components: current, "contents")].filter(exists)
        }
        let versions = (try? FileManager.default.contentsOfDirectory(at: model, includingPropertiesForKeys: nil)) ?? []
        let contents = versions.filter { $0.pathExtension == "xcdatamodel" }.map { $0.appending(component: "contents") }
        return ([pointer] + contents.sorted { $0.path < $1.path }).filter(exists)
    }

    private func exists(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) }
}
