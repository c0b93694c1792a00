import Foundation
import StrataModelFiles
import StrataQuery

/// The parts of a model's source that Strata's declarations do not have; empty for a compiled model.
struct ModelSource {
    private static let kinds: Set<String> = ["attribute", "relationship", "fetchedProperty"]
    private var entities: [String: ModelDocument.Element] = [:]
    private var properties: [String: [String: ModelDocument.Element]] = [:]
    private var templates: [String: ModelDocument.Element] = [:]

    init(_ document: ModelDocument?) {
        for child in document?.root.children ?? [] {
            guard let name = child["name"] else { continue }
            if child.name == "fetchRequest" { templates[name] = child }
            guard child.name == "entity" else { continue }
            entities[name] = child
            for property in child.children where ModelSource.kinds.contains(property.name) {
                if let own = property["name"] { properties[name, default: [:]][own] = property }
            }
        }
    }

    func complete(_ entity: NSEntityDescription) {
        guard let name = entity.name else { return }
        for property in entity.ownProperties {
            if let element = properties[name]?[property.name] { complete(property, from: element) }
        }
        guard let text = entities[name]?["coreSpotlightDisplayNameExpression"] else { return }
        entity.coreSpotlightDisplayNameExpression = (try? QueryExpression(format: text)).map { NSExpression.make($0) }
    }

    private func complete(_ property: NSPropertyDescription, from element: ModelDocument.Element) {
        property.isIndexedBySpotlight = element["spotlightIndexingEnabled"] == "YES"
        property.isStoredExternally = element["storedInTruthFile"] == "YES"
        if property is NSFetchedPropertyDescription {
            property.isOptional = element["optional"] == "YES"
            if let name = nonEmpty(element["elementID"]) { property.renamingIdentifier = name }
            property.versionHashModifier = nonEmpty(element["versionHashModifier"])
        }
        guard let attribute = property as? NSAttributeDescription else { return }
        attribute.allowsCloudEncryption = element["allowsCloudEncryption"] == "YES"
        if let name = nonEmpty(element["customClassName"]) { attribute.attributeValueClassName = name }
    }

    /// Sets the results of a template's request.
    func complete(_ template: NSFetchRequest<any NSFetchRequestResult>, named name: String) {
        guard let element = templates[name] else { return }
        if let type = element["resultType"].flatMap({ UInt($0) }) { template.resultType = NSFetchRequestResultType(rawValue: type) }
        if let size = element["fetchBatchSize"].flatMap({ Int($0) }) { template.fetchBatchSize = size }
        template.returnsDistinctResults = (element["returnDistinctResults"] ?? element["returnsDistinctResults"]) == "YES"
    }

    private func nonEmpty(_ text: String?) -> String? { text?.isEmpty == false ? text : nil }
}
