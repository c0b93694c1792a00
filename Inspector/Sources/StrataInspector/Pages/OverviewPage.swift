import Strata
import StrataStoreTool

/// The stores, and the entities with the numbers of their objects.
struct OverviewPage: Page {
    private let links: Links
    private let model: ManagedObjectModel
    private let stores: [StoreFacts]

    init(_ reader: PageReader, _ context: ManagedObjectContext) throws {
        links = reader.links
        model = reader.model
        stores = try reader.container.coordinator.stores.map { try StoreFacts($0, of: reader.container.coordinator, in: context) }
    }

    let title = "Overview"

    var content: HTML {
        element(.h1) { "Overview" }
        HTML(stores.map(facts))
        element(.h2) { "Entities" }
        element(.div, .class("scroll"), .set("tabindex", "0"), .set("role", "region"), .label("Entities")) {
            element(.table) {
                element(.thead) {
                    element(.tr) {
                        element(.th, .set("scope", "col")) { "Entity" }
                        for name in ["Objects", "Attributes"] { element(.th, .set("scope", "col"), .class("number")) { name } }
                        element(.th, .set("scope", "col")) { "Relationships" }
                    }
                }
                element(.tbody) { HTML(model.entities.map(row)) }
            }
        }
    }

    private func facts(_ store: StoreFacts) -> HTML {
        element(.dl, .class("facts")) {
            for (name, value) in store.lines {
                element(.div) {
                    element(.dt) { name }
                    element(.dd) { value }
                }
            }
        }
    }

    private func row(_ entity: EntityDescription) -> HTML {
        element(.tr) {
            element(.th, .set("scope", "row")) { element(.a, .href(links.table(entity.name))) { entity.name } }
            element(.td, .class("number")) { entity.isAbstract ? "abstract" : count(of: entity).grouped }
            element(.td, .class("number")) { entity.attributes.count.grouped }
            element(.td) {
                for relationship in entity.relationships.filter({ !$0.isHidden }) {
                    let destination = model.destination(of: relationship).name
                    element(.span, .class("pair")) {
                        relationship.name
                        " → "
                        element(.a, .href(links.table(destination))) { destination }
                    }
                    " "
                }
            }
        }
    }

    private func count(of entity: EntityDescription) -> Int {
        stores.reduce(0) { sum, store in sum + (store.entities.first { $0.name == entity.name }?.count ?? 0) }
    }

    var json: JSON { .object(["stores": .array(stores.map(\.json))]) }
}
