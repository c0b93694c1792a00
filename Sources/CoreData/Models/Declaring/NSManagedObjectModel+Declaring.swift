import Foundation
import StrataModel
import StrataQuery
import StrataText

extension NSManagedObjectModel {
    /// Returns the model of some entities, with the configurations and templates of this one, in Strata's terms.
    ///
    /// - Parameter findsClasses: Whether the entities' classes are looked up, which only objects need.
    /// - Throws: An `NSError` with Core Data's code if they are invalid.
    final func declared(_ entities: [NSEntityDescription], findsClasses: Bool) throws -> ManagedObjectModel {
        do {
            return try ManagedObjectModel(
                entities: try entities.map { description in
                    var entity = try description.declaration()
                    guard findsClasses else { return entity }
                    let objectClass = try ManagedClasses.objectClass(named: description.managedObjectClassName, of: entity.name)
                    NamedMembers.note(objectClass, of: description)
                    entity.objectClass = objectClass
                    return entity
                },
                configurations: entitiesByConfiguration.sortedByKey().map { name, members in
                    EntityConfiguration(name, entities: members.compactMap(\.name))
                },
                // A template with a block is for objects in memory only.
                fetchTemplates: templates.sortedByKey().compactMap { try? $0.value.template(named: $0.key) },
                versionIdentifiers: versionIdentifiers.map { "\($0.base)" }.sorted())
        } catch {
            throw cocoaError(error)
        }
    }
}

extension NSFetchRequest {
    /// Returns the request as a template in Strata's terms; throws without entity, or for a predicate without a text.
    func template(named name: String) throws -> FetchTemplate {
        guard let entityName else { throw ModelError(.unknownProperty, entity: "", property: name, "the fetch template is for no entity") }
        var template = FetchTemplate(
            name, entity: entityName, predicate: try templatePredicate(), sort: try templateOrder(),
            limit: fetchLimit > 0 ? fetchLimit : nil, offset: fetchOffset)
        template.includesSubentities = includesSubentities
        return template
    }

    func templatePredicate() throws -> String? { try predicate.map { try $0.tree().predicateFormat } }

    func templateOrder() throws -> [SortElement] {
        try (sortDescriptors ?? []).map { descriptor in
            let sort = try descriptor.querySort()
            return SortElement(sort.keyPath, ascending: sort.ascending)
        }
    }
}
