import ArgumentParser
import FoundationEssentials
import Strata
import StrataModelDrawing

struct Schema: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints the model of a store: entities, properties, rules.")

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

extension JSON {
    /// Creates the entities of a model with their properties.
    init(_ model: ManagedObjectModel) {
        self = .object([
            "versionIdentifiers": .array(model.versionIdentifiers.map { .string($0) }),
            "entities": .array(model.entities.map { JSON($0, in: model) }),
        ])
    }

    private init(_ entity: EntityDescription, in model: ManagedObjectModel) {
        self = .object([
            "name": .string(entity.name),
            "isAbstract": .bool(entity.isAbstract),
            "superentity": JSON(entity.superentity.map { model.entities[$0].name }),
            "attributes": .array(
                entity.attributes.map {
                    .object([
                        "name": .string($0.name), "type": .string("\($0.type)"), "isOptional": .bool($0.isOptional),
                        "default": $0.defaultValue.json,
                    ])
                }),
            "relationships": .array(
                entity.relationships.filter { !$0.isHidden }.map {
                    .object([
                        "name": .string($0.name), "destination": .string(model.destination(of: $0).name),
                        "inverse": JSON(model.inverse(of: $0)?.name), "isToMany": .bool($0.isToMany), "isOrdered": .bool($0.isOrdered),
                        "deleteRule": .string("\($0.deleteRule)"), "isOptional": .bool($0.isOptional),
                    ])
                }),
            "uniquenessConstraints": .array(entity.uniquenessConstraints.map { .array($0.names.map { .string($0) }) }),
        ])
    }
}
