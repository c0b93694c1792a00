import ArgumentParser
import StrataModelCode
import StrataModelFiles

struct Generate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Writes the Swift classes of a model's entities, by their code generation.")

    @OptionGroup var model: ModelArgument
    @Option(name: .shortAndLong, help: "The folder for a file of each class; it is made where there is none.") var output: String?
    @Option(help: "One file for all classes, instead of a folder.") var singleFile: String?
    @Flag(help: "Writes the classes of entities whose code generation is manual, too.") var includingManual = false
    @Flag(name: .customLong("internal"), help: "Declares everything internal rather than public.") var isInternal = false

    func validate() throws {
        if (output == nil) == (singleFile == nil) { throw ValidationError("Exactly one of --output and --single-file is required.") }
    }

    func run() throws {
        var options = ModelCode.Options()
        options.includesManualEntities = includingManual
        options.isPublic = !isInternal
        let file = try model.file()
        let (code, path) = try Messages.reporting {
            (
                try ModelCode(of: file, version: model.version, named: model.name, options: options),
                try file.version(named: model.version).path
            )
        }
        Messages.report(code.warnings, of: path)
        if let singleFile { return try Output.write(code.text, to: singleFile) }
        guard let output else { return }
        try Output.makeFolder(output)
        for file in code.files { try Output.write(file.text, to: output + "/" + file.name) }
    }
}
