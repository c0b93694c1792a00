import Strata
import StrataStoreTool

/// The model: a diagram, and its entities with their properties.
struct ModelPage: Page {
    private let links: Links
    private let model: ManagedObjectModel

    init(_ reader: PageReader) { (links, model) = (reader.links, reader.model) }

    let title = "Model"
    var entities: [String]? { [] }

    var content: HTML {
        element(.h1) { "Model" }
        // As an image the drawing runs nothing and loads nothing, whatever it has.
        element(.div, .class("scroll diagram"), .set("tabindex", "0"), .set("role", "region"), .label("Diagram")) {
            element(.img, .src(links.file("model.svg")), .alt("Diagram of the entities; they are listed below."))
        }
        for entity in model.entities {
            element(.section) {
                element(.h2) { element(.a, .href(links.table(entity.name))) { entity.name } }
                if entity.isAbstract || entity.superentity != nil {
                    element(.p) {
                        if entity.isAbstract { "Abstract. " }
                        if let parent = entity.superentity { "Of \(model.entities[parent].name)." }
                    }
                }
                element(.ul, .class("properties")) {
                    for property in entity.properties where property.relationship?.isHidden != true {
                        element(.li) {
                            element(.code) { property.name }
                            " "
                            element(.span, .class("type")) { property.typeName(in: model) }
                        }
                    }
                }
            }
        }
    }

    var json: JSON { JSON(model) }
}
