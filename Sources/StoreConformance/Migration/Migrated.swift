import FoundationEssentials
import Strata

/// A store that is filled with one version of a model, and then opened with others.
struct Migrated {
    let environment: ConformanceEnvironment
    let before: ConformanceStack
    let context: ManagedObjectContext

    init(_ environment: ConformanceEnvironment, @ModelBuilder _ parts: () -> [any ModelElement]) throws {
        self.environment = environment
        before = try environment.stack(try ManagedObjectModel(versionIdentifiers: [], parts))
        context = before.context()
    }

    /// Saves, closes the store, and opens it with another version of the model.
    func opened(@ModelBuilder _ parts: () -> [any ModelElement]) throws -> ConformanceStack {
        try opened(try ManagedObjectModel(versionIdentifiers: [], parts))
    }

    func opened(_ model: ManagedObjectModel) throws -> ConformanceStack {
        try context.save()
        return try before.reopened(model: model)
    }
}

extension ConformanceStack {
    /// Every object with all that it has, one in a line: `Person a: age=3 boss=b pets=[x y]`, read by a context of its
    /// own.
    func contents() throws -> [String] {
        let context = context()
        let model = container.model
        let held = model.entities.filter { entity in
            descriptions.contains { model.entities(inConfiguration: $0.configuration)?.contains(entity.index) == true }
        }
        return try held.flatMap { entity in
            try context.all(entity.name).filter { $0.entity.index == entity.index }.map { try $0.line() }.sorted()
        }
    }
}

extension ConformanceStack {
    /// What is wrong in any of the stores, in words.
    func problems() throws -> [String] { try coordinator.stores.flatMap { try coordinator.verify($0).map { "\($0)" } } }
}

extension ManagedObject {
    fileprivate func line() throws -> String {
        var parts: [String] = []
        for attribute in entity.attributes where !attribute.isTransient && attribute.name != "name" {
            switch try value(forKey: attribute.name) {
            case nil: continue
            case let value as Data: parts.append("\(attribute.name)=\(value.count) bytes")
            case let value?: parts.append("\(attribute.name)=\(value)")
            }
        }
        for relationship in entity.relationships {
            switch try value(forKey: relationship.name) {
            case let one as ManagedObject: parts.append("\(relationship.name)=\(try inOrder([one])[0])")
            case let some as Set<ManagedObject> where !some.isEmpty:
                parts.append("\(relationship.name)=[\(try names(some).joined(separator: " "))]")
            case let ordered as [ManagedObject] where !ordered.isEmpty:
                parts.append("\(relationship.name)=(\(try inOrder(ordered).joined(separator: " ")))")
            default: continue
            }
        }
        return "\(entity.name) \(try text("name") ?? "nil")" + (parts.isEmpty ? "" : ": ") + parts.sorted().joined(separator: " ")
    }
}
