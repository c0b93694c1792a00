import ArgumentParser
import StrataCoreDataCode

/// Writes the accessors and the classes of a target.
struct Generate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the accessors of properties with @NSManaged, and the classes of models, as their code generation says.")

    @OptionGroup var target: TargetArguments
    @Option(name: .shortAndLong, help: "The file to write.") var output: String

    func run() throws {
        let module = try target.sourceModule()
        let (dependencies, models) = (try target.importedModules(by: module), try target.coreDataModels())
        let code = try Messages.telling { try CoreDataCode(of: module, dependencies: dependencies, models: models) }
        for warning in code.warnings { Messages.tell(warning.description) }
        for (path, warning) in code.modelWarnings { Messages.tell(warning, of: path) }
        try Files.write(code.text, to: output)
    }
}
