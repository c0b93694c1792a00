import ArgumentParser
import FoundationEssentials
import Strata
import StrataModelDrawing
import StrataStoreTool

struct Schema: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Prints the model of a store: entities, properties, rules.")

    enum Form: String, ExpressibleByArgument, CaseIterable {
        case text, json, svg, mermaidClass = "mermaid-class", mermaidER = "mermaid-er"
    }

    @OptionGroup var store: StoreArguments
    @Option(help: "The form.") var format = Form.text
    @Flag(help: "Prints JSON, as --format json does.") var json = false

    func run() throws {
        let model = try store.model(of: store.description())
        switch json ? .json : format {
        case .text: try Console.print(ModelOutline(model).description)
        case .json: try Console.print(JSON(model).lines)
        case .svg: try Console.print(SVGDrawing.svg(model, title: store.store))
        case .mermaidClass: try Console.print(MermaidDrawing.classDiagram(model))
        case .mermaidER: try Console.print(MermaidDrawing.entityRelationshipDiagram(model))
        }
    }
}
