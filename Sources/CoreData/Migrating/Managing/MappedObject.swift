import Foundation
import StrataEvaluation
import StrataGraph
import StrataModel

/// An object of the destination, with its entity mapping.
struct MappedObject {
    private let object: NSManagedObject
    private let mapping: NSEntityMapping
    private let manager: NSMigrationManager
    private let evaluation: MappingEvaluation

    init(
        _ object: NSManagedObject, of source: NSManagedObject, _ mapping: NSEntityMapping, _ manager: NSMigrationManager,
        _ policy: NSEntityMigrationPolicy
    ) {
        self.object = object
        self.mapping = mapping
        self.manager = manager
        evaluation = MappingEvaluation(manager, mapping, policy, from: source, to: object)
    }

    /// Inserts a new object of a mapping's entity; throws if the entity does not exist, or is abstract.
    static func insert(_ mapping: NSEntityMapping, _ manager: NSMigrationManager) throws -> NSManagedObject {
        guard let entity = manager.destinationEntity(for: mapping), !entity.isAbstract else {
            throw MigrationErrors.meaningless(mapping, "no object can be made of the entity \(mapping.destinationEntityName ?? "")")
        }
        return NSManagedObject(entity: entity, insertInto: manager.destinationContext)
    }

    // MARK: - Attributes

    func fillAttributes() throws {
        let entity = (object as ManagedObject).entity
        for property in mapping.attributeMappings ?? [] {
            guard let name = property.name, let expression = property.valueExpression else { continue }
            let attribute = entity.attribute(named: name)
            if attribute?.isDerived == true { continue }
            let value = try evaluation.value(of: expression, for: property)
            if value == nil || value is NSNull, let attribute, !attribute.isOptional && !attribute.defaultValue.isNull { continue }
            try set(value, name, attribute?.type)
        }
    }

    private func set(_ value: Any?, _ name: String, _ type: AttributeType?) throws {
        var value = value
        if let type, let plain = value.flatMap({ Operand.scalar($0) }), let converted = type.converted(plain) {
            value = Boxing.boxed(converted, type)
        }
        do { try (object as ManagedObject).setValue(Boxing.unboxed(value, type), forKey: name) } catch {
            throw MigrationErrors.meaningless(mapping, "\(mapping.destinationEntityName ?? "").\(name) cannot be set: \(error)")
        }
    }

    // MARK: - Relationships

    func fillRelationships() throws {
        let entity = object.entity
        for property in mapping.relationshipMappings ?? [] {
            guard let name = property.name, let expression = property.valueExpression,
                let relationship = entity.relationshipsByName[name], let destination = relationship.destinationEntity
            else { continue }
            let value = try evaluation.value(of: expression, for: property, leadingTo: destination)
            let related = MappingEvaluation.objects(in: value)
            if let foreign = related.first(where: { $0.managedObjectContext !== manager.destinationContext }) {
                throw MigrationErrors.meaningless(
                    mapping, "\(expression) gives for \(name) an object of another context than the destination's: \(foreign.objectID)")
            }
            try relate(related, name, isToMany: relationship.isToMany)
        }
    }

    /// Relates the object to others, and keeps the destinations that the other end, or a policy, has set already.
    private func relate(_ related: [NSManagedObject], _ name: String, isToMany: Bool) throws {
        guard !related.isEmpty else { return }
        do {
            if isToMany {
                let known = MappingEvaluation.objects(in: object.value(forKey: name))
                let isRelated = Set(related)
                let all: [ManagedObject] = related + known.filter { !isRelated.contains($0) }
                try (object as ManagedObject).setValue(all, forKey: name)
            } else {
                try (object as ManagedObject).setValue(related.first, forKey: name)
            }
        } catch { throw MigrationErrors.meaningless(mapping, "\(mapping.destinationEntityName ?? "").\(name) cannot be set: \(error)") }
    }
}
