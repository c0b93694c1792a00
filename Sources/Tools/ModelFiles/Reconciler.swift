import StrataModel

/// Corrects declarations that Core Data accepts with a warning so that a model can be made of them, within limits.
struct Reconciler {
    private var declarations: ModelDeclarations
    private var warnings: WarningList
    private let limits: ModelFileLimits
    private var byName: [String: Int] = [:]
    /// The indexes of an entity and its ancestors, itself first.
    private var chains: [[Int]] = []

    static func reconciled(
        _ declarations: ModelDeclarations, _ warnings: WarningList, _ limits: ModelFileLimits
    ) throws(ModelFileError) -> (ModelDeclarations, [ModelFileWarning]) {
        var reconciler = Reconciler(declarations: declarations, warnings: warnings, limits: limits)
        try reconciler.reconcile()
        return (reconciler.declarations, reconciler.warnings.all)
    }

    private mutating func reconcile() throws(ModelFileError) {
        byName = Dictionary(declarations.entities.indices.map { (declarations.entities[$0].name, $0) }) { first, _ in first }
        try findChains()
        leaveOutTemplatesAndConfigurationsOfNothing()
        try checkNames(of: declarations.fetchTemplates.map(\.name), "fetchRequest", "fetch templates")
        try checkNames(of: declarations.configurations.map(\.name), "configuration", "configurations")
        let kinds = declarations.entities.map { entity in
            Dictionary(
                entity.attributes.filter { $0.type == .composite }.map { ($0.name, PropertyKind.composite) }
                    + entity.attributes.flatMap { $0.values() }.map { ($0.path, .attribute(isTransient: $0.isTransient)) }
                    + entity.relationships.map { ($0.name, .relationship(isToMany: $0.cardinality != .toOne, isTransient: $0.isTransient)) }
                    + (declarations.omitted[entity.name] ?? []).map { ($0, .omitted) }
            ) { first, _ in first }
        }
        for index in declarations.entities.indices {
            checkConstraints(of: index, kinds)
            checkIndexes(of: index, kinds)
        }
        leaveOutInverses()
    }

    private func failure(
        _ code: ModelFileError.Code, _ path: String, reason: ModelError.Reason? = nil, _ message: String
    ) -> ModelFileError {
        ModelFileError(code, element: path, line: declarations.lines[path], reason: reason, message)
    }

    private mutating func warn(_ kind: ModelFileWarning.Kind, _ path: String, _ message: String) {
        warnings.add(kind, path, line: declarations.lines[path], message)
    }

    // MARK: - Inheritance

    private mutating func findChains() throws(ModelFileError) {
        let relationships = declarations.entities.reduce(0) { $0 + $1.relationships.count }
        // Pairs of to-many relationships are searched for among all of them.
        guard relationships <= limits.relationships else {
            throw ModelFileError(.limitExceeded, "there are more than \(limits.relationships) relationships")
        }
        var properties = 0
        for (index, entity) in declarations.entities.enumerated() {
            let path = "entity \(entity.name)"
            guard byName[entity.name] == index else {
                throw failure(.inconsistent, path, reason: .duplicateName, "two entities have this name")
            }
            var chain: [Int] = []
            var current: Int? = index
            while let entity = current {
                chain.append(entity)
                properties +=
                    declarations.entities[entity].attributes.reduce(0) { $0 + $1.values().count } + 2
                    * declarations.entities[entity].relationships.count + 1
                if chain.count > limits.nesting {
                    let isCycle = Set(chain).count < chain.count
                    throw isCycle
                        ? failure(.inconsistent, path, reason: .inheritanceCycle, "the entity is its own ancestor")
                        : failure(.limitExceeded, path, "the entity has more than \(limits.nesting) ancestors")
                }
                let parent = declarations.entities[entity].parent
                current = parent.flatMap { byName[$0] }
                if let parent, current == nil {
                    throw failure(.inconsistent, path, reason: .unknownParent, "the parent \(parent) is not in the model")
                }
            }
            chains.append(chain)
            guard properties <= limits.properties else {
                throw failure(.limitExceeded, path, "there are more than \(limits.properties) properties")
            }
        }
    }

    private mutating func leaveOutTemplatesAndConfigurationsOfNothing() {
        declarations.fetchTemplates.removeAll { template in
            guard byName[template.entity] == nil else { return false }
            let path = "fetchRequest \(template.name)"
            warnings.add(.leftOut, path, line: declarations.lines[path], "the entity \(template.entity) is not in the model")
            return true
        }
        for index in declarations.configurations.indices {
            let path = "configuration \(declarations.configurations[index].name)"
            declarations.configurations[index].entities.removeAll { name in
                guard byName[name] == nil else { return false }
                warnings.add(.leftOut, path, line: declarations.lines[path], "the entity \(name) is not in the model")
                return true
            }
        }
    }

    private func checkNames(of elements: [String], _ element: String, _ kind: String) throws(ModelFileError) {
        var seen: Set<String> = []
        for name in elements where !seen.insert(name).inserted {
            throw failure(.inconsistent, "\(element) \(name)", reason: .duplicateName, "two \(kind) have this name")
        }
    }

    // MARK: - Constraints and indexes

    private enum PropertyKind {
        case attribute(isTransient: Bool)
        case relationship(isToMany: Bool, isTransient: Bool)
        /// A composite attribute as a whole.
        case composite
        case omitted
    }

    private func kind(_ name: String, of index: Int, _ kinds: [[String: PropertyKind]]) -> PropertyKind? {
        for entity in chains[index] {
            if let kind = kinds[entity][name] { return kind }
            // A path into a composite attribute.
            if let dot = name.firstIndex(of: "."), case .omitted = kinds[entity][String(name[..<dot])] { return .omitted }
        }
        return nil
    }

    private mutating func checkConstraints(of index: Int, _ kinds: [[String: PropertyKind]]) {
        let path = "entity \(declarations.entities[index].name)"
        var kept: [Unique] = []
        var unenforced: [Unique] = []
        for constraint in declarations.entities[index].uniquenessConstraints {
            let text = constraint.attributes.joined(separator: ", ")
            var problem = constraint.attributes.isEmpty ? "is over nothing" : nil
            var relationship: String?
            if Set(constraint.attributes).count < constraint.attributes.count { problem = "names an attribute twice" }
            for name in constraint.attributes {
                switch kind(name, of: index, kinds) {
                case .attribute(true)?: problem = "is over the transient attribute \(name)"
                case .relationship?: relationship = name
                case .composite?: problem = "is over \(name) and not over its elements"
                case .omitted?: problem = "is over \(name), which the model is without"
                case .attribute(false)?, nil: break
                }
            }
            if let problem {
                warn(.leftOut, path, "the uniqueness constraint (\(text)) \(problem) and is left out")
            } else if let relationship {
                warn(.leftOut, path, "the uniqueness constraint (\(text)) is over the relationship \(relationship) and is not enforced")
                unenforced.append(constraint)
            } else {
                kept.append(constraint)
            }
        }
        declarations.entities[index].uniquenessConstraints = kept
        declarations.entities[index].unenforcedConstraints = unenforced
    }

    /// Returns whether a location index is over numbers of the entity or an ancestor.
    private func isLocation(_ index: FetchIndex, _ entity: Int) -> Bool {
        let values = chains[entity].flatMap { declarations.entities[$0].attributes }.flatMap { $0.values() }
        return (1...5).contains(index.elements.count)
            && index.elements.allSatisfy { element in
                guard let type = values.first(where: { $0.path == element.property })?.attribute.type else { return false }
                return type.isInteger || type == .double || type == .float
            }
    }

    /// Makes an expression of an index element `entity` or `self`, which no property of the entity is called.
    private mutating func readOwnColumn(
        _ element: inout FetchIndex.Element, of index: Int, _ kinds: [[String: PropertyKind]], _ path: String
    ) {
        let name = element.expression ?? element.property
        guard let text = ["entity": "entity", "self": "SELF"][name.lowercased()], kind(name, of: index, kinds) == nil else { return }
        warnings.add(
            .questionable, path, line: declarations.lines[path] ?? declarations.lines["entity \(declarations.entities[index].name)"],
            "the element \(name) is no property and is read as an expression")
        element = .init(expression: text, ascending: element.isAscending)
    }

    private mutating func checkIndexes(of index: Int, _ kinds: [[String: PropertyKind]]) {
        let entity = declarations.entities[index].name
        var names: Set<String> = []
        var kept: [FetchIndex] = []
        for var fetchIndex in declarations.entities[index].indexes {
            let path = "entity \(entity)/fetchIndex \(fetchIndex.name)"
            for element in fetchIndex.elements.indices { readOwnColumn(&fetchIndex.elements[element], of: index, kinds, path) }
            var problem: String?
            for element in fetchIndex.elements where element.expression == nil {
                switch kind(element.property, of: index, kinds) {
                case .attribute(true)?, .relationship(_, true)?: problem = "is over the transient property \(element.property)"
                case .relationship(true, _)?: problem = "is over the to-many relationship \(element.property)"
                case .composite?: problem = "is over \(element.property) and not over its elements"
                case .omitted?: problem = "is over \(element.property), which the model is without"
                case .attribute?, .relationship?, nil: break
                }
            }
            if fetchIndex.isLocation, problem == nil, !isLocation(fetchIndex, index) {
                problem = "of type RTree is not over one to five numbers"
            }
            if problem == nil, !names.insert(fetchIndex.name).inserted { problem = "has the name of another one" }
            guard let problem else {
                kept.append(fetchIndex)
                continue
            }
            warnings.add(
                .leftOut, path, line: declarations.lines[path] ?? declarations.lines["entity \(entity)"],
                "the index \(problem) and is left out")
        }
        declarations.entities[index].indexes = kept
    }

    // MARK: - Inverses

    /// Removes the inverse of a relationship whose inverse does not match; its own values stay, and consistent pairs.
    private mutating func leaveOutInverses() {
        let numbers = declarations.entities.map { entity in
            Dictionary(entity.relationships.indices.map { (entity.relationships[$0].name, $0) }) { first, _ in first }
        }
        for _ in 0..<limits.nesting {
            let wrong = declarations.entities.enumerated().flatMap { index, entity in
                entity.relationships.indices.filter { !hasMatchingInverse(entity.relationships[$0], of: index, numbers) }.map {
                    (index, $0)
                }
            }
            if wrong.isEmpty { break }
            for (index, number) in wrong {
                let relationship = declarations.entities[index].relationships[number]
                let path = "entity \(declarations.entities[index].name)/relationship \(relationship.name)"
                warn(
                    .leftOut, path,
                    "the inverse \(relationship.destination).\(relationship.inverse ?? "") does not lead back and is left out")
                declarations.entities[index].relationships[number].inverse = nil
                declarations.entities[index].relationships[number].unmatchedInverse = relationship.inverse
            }
        }
        for entity in declarations.entities {
            for relationship in entity.relationships where relationship.cardinality != .toOne {
                let path = "entity \(entity.name)/relationship \(relationship.name)"
                if relationship.inverse == nil { warn(.questionable, path, "the to-many relationship has no inverse") }
                if relationship.maxCount == -1 { warn(.questionable, path, "the maximum count of -1 is no limit") }
            }
        }
    }

    /// Returns whether the inverse, if any, matches; true for a missing one, which the model rejects.
    private func hasMatchingInverse(_ relationship: Relationship, of index: Int, _ numbers: [[String: Int]]) -> Bool {
        guard let inverseName = relationship.inverse, let destination = byName[relationship.destination] else { return true }
        for owner in chains[destination] {
            guard let number = numbers[owner][inverseName] else { continue }
            let inverse = declarations.entities[owner].relationships[number]
            guard inverse.inverse == relationship.name, let back = byName[inverse.destination] else { return false }
            return (chains[back].contains(index) || chains[index].contains(back)) && inverse.isTransient == relationship.isTransient
        }
        return true
    }
}
