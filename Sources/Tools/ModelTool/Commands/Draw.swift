import ArgumentParser
import StrataModelDrawing

struct Draw: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "draw", abstract: "Draws a model.")

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case svg
        case mermaidClass = "mermaid-class"
        case mermaidER = "mermaid-er"
    }

    @OptionGroup var model: ModelArgument
    @Option(name: .shortAndLong, help: "The kind of picture.") var format = Format.svg
    @Option(name: .shortAndLong, help: "The file to write; the standard output where none is named.") var output: String?

    func run() throws {
        let made = try model.managedObjectModel()
        let text =
            switch format {
            case .svg: SVGDrawing.svg(made, title: model.name)
            case .mermaidClass: MermaidDrawing.classDiagram(made)
            case .mermaidER: MermaidDrawing.entityRelationshipDiagram(made)
            }
        try Output.write(text, to: output)
    }
}
