import ArgumentParser
import FoundationEssentials
import StrataModel
import StrataModelFiles

/// A model on the command line: its path, and its version.
struct ModelArgument: ParsableArguments {
    @Argument(help: "The path of the model.") var model: String
    @Option(name: .customLong("model-version"), help: "The name of a version; by default the current one.") var version: String?

    func file() throws -> ModelFile { try Messages.reporting { try ModelFile(contentsOf: model) } }

    /// Returns the model, and prints warnings about features that it lacks.
    func managedObjectModel() throws -> ManagedObjectModel {
        let file = try file()
        let (chosen, made) = try Messages.reporting { (try file.version(named: version), try file.model(version: version)) }
        Messages.report(chosen.warnings, of: chosen.path)
        return made
    }

    /// The name of the model without its extension.
    var name: String { ModelArgument.name(of: model) }

    static func name(of path: String) -> String { URL(filePath: path).deletingPathExtension().lastPathComponent }
}
