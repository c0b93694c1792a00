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
        /// The former text.
        public let removed: [String]
        /// The new text.
        public let added: [String]
        /// The sign of what is there in one version only, `+` or `-`, and `~` of what is in both.
        public let sign: Character

        public var description: String {
            let path = [entity, property].compactMap(\.self).joined(separator: ".")
            let texts = sign == "~" ? removed.map { "- " + $0 } + added.map { "+ " + $0 } : removed + added
            return "\(sign) " + OneLine.text([path, texts.joined(separator: ", ")].filter { !$0.isEmpty }.joined(separator: ": "))
        }
    }

    /// The differences, by entity in the order of the new version, with removed entities at the end.
    public let changes: [Change]
    /// The steps of migrating a store; `nil` where no mapping can be inferred.
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
                changes.append(Change(entity.name, added: entity.facts))
                changes += entity.properties.map { Change(entity.name, $0.name, added: [$0.kind] + $0.facts) }
                continue
            }
            changes += compare(entity.name, nil, (before.name, before.facts), (entity.name, entity.facts))
            changes += properties(before, entity, pair)
        }
        for entity in old.entities where rest[entity.name] != nil { changes.append(Change(entity.name, removed: entity.facts)) }
        changes += old.others.filter { !new.others.contains($0) }.map { Change(nil, removed: [$0]) }
        changes += new.others.filter { !old.others.contains($0) }.map { Change(nil, added: [$0]) }
        return changes
    }

    private static func properties(_ old: ModelFacts.Entity, _ new: ModelFacts.Entity, _ mapping: EntityMapping?) -> [Change] {
        var changes: [Change] = []
        var rest = Dictionary(old.properties.map { ($0.name, $0) }) { first, _ in first }
        for property in new.properties {
            let name = mapping?.mapping(of: property.name)?.source ?? property.name
            guard let before = rest[name], before.kind == property.kind else {
                changes.append(Change(new.name, property.name, added: [property.kind] + property.facts))
                continue
            }
            rest[name] = nil
            changes += compare(new.name, property.name, (before.name, before.facts), (property.name, property.facts))
        }
        for property in old.properties where rest[property.name] != nil {
            changes.append(Change(new.name, property.name, removed: [property.kind] + property.facts))
        }
        return changes
    }

    private static func compare(
        _ entity: String, _ property: String?, _ old: (name: String, facts: [String]), _ new: (name: String, facts: [String])
    ) -> [Change] {
        let names = old.name == new.name ? ([], []) : (["name \(old.name)"], ["name \(new.name)"])
        let (was, isNow) = (names.0 + old.facts, names.1 + new.facts)
        let removed = was.filter { !isNow.contains($0) }
        let added = isNow.filter { !was.contains($0) }
        if removed.isEmpty && added.isEmpty { return [] }
        return [Change(entity, property, removed: removed, added: added, sign: "~")]
    }
}

extension ModelDifference.Change {
    /// Creates a change; without a sign that of what is in one version only.
    fileprivate init(_ entity: String?, _ property: String? = nil, removed: [String]? = nil, added: [String]? = nil, sign: Character? = nil)
    {
        self.init(
            entity: entity, property: property, removed: removed ?? [], added: added ?? [], sign: sign ?? (removed == nil ? "+" : "-"))
    }
}
