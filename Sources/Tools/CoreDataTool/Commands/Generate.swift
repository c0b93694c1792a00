import ArgumentParser
import StrataCoreDataCode

struct Generate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Writes the accessors of properties with @NSManaged, and the classes of models, by their code generation.")

    @OptionGroup var target: TargetArguments
    @Option(
        name: .shortAndLong, parsing: .upToNextOption,
        help: "The file to write, or several: each class is in one of them, and the compiler compiles them at once.")
    var output: [String]

    func run() throws {
        let module = try target.sourceModule()
        let (dependencies, models) = (try target.importedModules(by: module), try target.coreDataModels())
        let code = try Messages.reporting { try CoreDataCode(of: module, dependencies: dependencies, models: models, parts: output.count) }
        for warning in code.warnings { Messages.report(warning.description) }
        for (path, warning) in code.modelWarnings { Messages.report(warning, of: path) }
        for (text, path) in zip(code.files, output) { try Files.write(text, to: path) }
    }
}
