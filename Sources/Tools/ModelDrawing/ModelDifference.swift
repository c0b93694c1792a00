public import StrataModel

/// The differences between two versions of a model, by entity and property, and the resulting migration.
///
/// ```swift
/// let difference = ModelDifference(from: old, to: new)
/// print(difference)
/// ```
/// Entities and properties are matched as in a migration: by their names and renaming identifiers.
public struct ModelDifference: Sendable, CustomStringConvertible {
    /// One thing that differs.
    public struct Change: Sendable, Hashable, CustomStringConvertible {
        /// The entity, by its name in the new version where it is there; `nil` for what is beside the entities.
        public let entity: String?
        /// The property, by its name in the new version where it is there; `nil` where it is the entity itself.
        public let property: String?
        /// What was said and is no more.
        public let removed: [String]
        /// What is said now.
        public let added: [String]
        /// The sign of what is there in one version only, `+` or `-`, and `~` of what is in both.
        public let sign: Character

        public var description: String {
            let path = [entity, property].compactMap(\.self).joined(separator: ".")
            let texts = sign == "~" ? removed.map { "- " + $0 } + added.map { "+ " + $0 } : removed + added
            return "\(sign) " + OneLine.text([path, texts.joined(separator: ", ")].filter { !$0.isEmpty }.joined(separator: ": "))
        }
    }

    /// What differs, by entity in the order of the new version, with those that are no more at the end.
    public let changes: [Change]
    /// What a migration would do to a store; `nil` where none can be inferred.
    public let plan: MigrationPlan?
    /// Why no migration can be inferred.
    public let obstacle: MappingError?

    /// Compares two versions.
    ///
    /// - Complexity: O(n) in the properties of all entities.
    public init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
        var mapping: MappingModel?
        var obstacle: MappingError?
        do throws(MappingError) { mapping = try .inferred(from: old, to: new) } catch { obstacle = error }
        plan = mapping?.plan
        self.obstacle = obstacle
        if mapping == nil { mapping = try? .inferred(from: old, to: new, droppingLossyTypes: true) }
        changes = ModelDifference.changes(ModelFacts(old), ModelFacts(new), mapping)
    }

    /// Whether nothing differs.
    public var isEmpty: Bool { changes.isEmpty }

    /// The changes, one in a line, and what a migration does.
    public var description: String {
        if isEmpty { return "The models are the same." }
        var lines = changes.map(\.description)
        lines.append("")
        if let obstacle {
            lines.append("No migration can be inferred: \(obstacle)")
        } else if let plan, !plan.isEmpty {
            lines += ["A migration does this:"] + plan.steps.map { "    \($0)" }
        } else {
            lines.append("A migration changes no object.")
        }
        return lines.joined(separator: "\n")
    }

    // MARK: - Comparing

    private static func changes(_ old: ModelFacts, _ new: ModelFacts, _ mapping: MappingModel?) -> [Change] {
        var changes: [Change] = []
        var rest = Dictionary(old.entities.map { ($0.name, $0) }) { first, _ in first }
        for entity in new.entities {
            let pair = mapping?.entityMappings.first { $0.destination == entity.name }
            guard let before = rest.removeValue(forKey: pair.map { $0.source ?? "" } ?? entity.name) else {
                changes.append(Change(entity: entity.name, property: nil, removed: [], added: entity.facts, sign: "+"))
                changes += entity.properties.map { own in
                    Change(entity: entity.name, property: own.name, removed: [], added: [own.kind] + own.facts, sign: "+")
                }
                continue
            }
            var was = before.facts
            var isNow = entity.facts
            if before.name != entity.name { (was, isNow) = (["name \(before.name)"] + was, ["name \(entity.name)"] + isNow) }
            changes += compare(entity.name, nil, was, isNow)
            changes += properties(before, entity, pair)
        }
        for entity in old.entities where rest[entity.name] != nil {
            changes.append(Change(entity: entity.name, property: nil, removed: entity.facts, added: [], sign: "-"))
        }
        changes += old.others.filter { !new.others.contains($0) }.map {
            Change(entity: nil, property: nil, removed: [$0], added: [], sign: "-")
        }
        changes += new.others.filter { !old.others.contains($0) }.map {
            Change(entity: nil, property: nil, removed: [], added: [$0], sign: "+")
        }
        return changes
    }

    private static func properties(_ old: ModelFacts.Entity, _ new: ModelFacts.Entity, _ mapping: EntityMapping?) -> [Change] {
        var changes: [Change] = []
        var rest = Dictionary(old.properties.map { ($0.name, $0) }) { first, _ in first }
        for property in new.properties {
            let name = mapping?.mapping(of: property.name)?.source ?? property.name
            guard let before = rest[name], before.kind == property.kind else {
                changes.append(
                    Change(entity: new.name, property: property.name, removed: [], added: [property.kind] + property.facts, sign: "+"))
                continue
            }
            rest[name] = nil
            var was = before.facts
            var isNow = property.facts
            if before.name != property.name { (was, isNow) = (["name \(before.name)"] + was, ["name \(property.name)"] + isNow) }
            changes += compare(new.name, property.name, was, isNow)
        }
        for property in old.properties where rest[property.name] != nil {
            changes.append(
                Change(entity: new.name, property: property.name, removed: [property.kind] + property.facts, added: [], sign: "-"))
        }
        return changes
    }

    private static func compare(_ entity: String, _ property: String?, _ was: [String], _ isNow: [String]) -> [Change] {
        let removed = was.filter { !isNow.contains($0) }
        let added = isNow.filter { !was.contains($0) }
        if removed.isEmpty && added.isEmpty { return [] }
        return [Change(entity: entity, property: property, removed: removed, added: added, sign: "~")]
    }
}
