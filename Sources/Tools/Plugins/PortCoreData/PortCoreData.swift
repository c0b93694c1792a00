import Foundation
import PackagePlugin

/// Ports a package's sources so that they compile without Objective-C, too: `swift package port-core-data --dry-run`.
@main struct PortCoreData: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        var extractor = ArgumentExtractor(arguments)
        let isDryRun = extractor.extractFlag(named: "dry-run") > 0
        let names = extractor.extractOption(named: "target")
        if let other = extractor.remainingArguments.first {
            Diagnostics.error("\(other) is not known: say --dry-run, and --target with the name of a target")
            return
        }
        let targets = names.isEmpty ? context.package.targets : try context.package.targets(named: names)
        let tool = try context.tool(named: "strata-coredata").url
        for target in targets {
            guard let module = target as? SwiftSourceModuleTarget else { continue }
            let sources = module.sourceFiles(withSuffix: "swift").filter { $0.type == .source }.map { path($0.url) }
                .filter { $0.hasPrefix(path(module.directoryURL)) }.sorted()
            guard !sources.isEmpty else { continue }
            let models = models(of: module).map(path)
            var arguments = ["port", "--module", module.moduleName, "--root", path(context.package.directoryURL)]
            if isDryRun { arguments.append("--dry-run") }
            arguments += ["--source"] + sources
            if !models.isEmpty { arguments += ["--model"] + models }
            let dependencies = dependencies(of: module)
            if !dependencies.isEmpty { arguments += ["--dependency"] + dependencies }
            if module.recursiveTargetDependencies.contains(where: { ($0 as? SwiftSourceModuleTarget)?.moduleName == "CoreData" }) {
                arguments.append("--uses-core-data")
            }
            let process = Process()
            process.executableURL = tool
            process.arguments = arguments
            try process.run()
            process.waitUntilExit()
            if process.terminationReason != .exit || process.terminationStatus != 0 {
                // The tool has printed the errors.
                exit(process.terminationReason == .exit ? process.terminationStatus : 1)
            }
        }
    }

    private func path(_ file: URL) -> String { file.path(percentEncoded: false) }

    private func dependencies(of target: any Target) -> [String] {
        target.recursiveTargetDependencies.compactMap { $0 as? SwiftSourceModuleTarget }
            .filter { $0.moduleName != "CoreData" && !$0.moduleName.hasPrefix("Strata") }
            .flatMap { module in module.sourceFiles(withSuffix: "swift").map { "\(module.moduleName)=\(path($0.url))" }.sorted() }
    }

    /// Returns the models among a target's files, in bundles too, in the order of their paths; none that it excludes.
    private func models(of module: SwiftSourceModuleTarget) -> [URL] {
        // A copied folder is one file of the target.
        let files = module.sourceFiles.filter { $0.type != .source }.map(\.url).flatMap { file in
            let entries = FileManager.default.enumerator(at: file, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
            return [file] + (entries?.compactMap { $0 as? URL } ?? [])
        }
        let models = files.filter { file in
            file.pathExtension == "xcdatamodeld"
                || file.pathExtension == "xcdatamodel" && file.deletingLastPathComponent().pathExtension != "xcdatamodeld"
        }
        return models.sorted { $0.path < $1.path }
    }
}
