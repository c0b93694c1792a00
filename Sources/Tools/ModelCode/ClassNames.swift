import StrataModel

/// The classes of a model's entities, and the type names in code that collide with one.
struct ClassNames {
    /// The Swift type by the name of its entity.
    private var named: [String: String] = [:]
    private var parents: [String: String] = [:]
    /// The names in the module of the generated code that the model's classes use.
    private var taken: Set<String> = []
    /// The entities whose classes have invalid names.
    private(set) var nameless: [Entity] = []

    init(_ entities: [Entity], classNames: [String: String]) {
        for entity in entities {
            parents[entity.name] = entity.parent
            guard let parts = classNames[entity.name].flatMap(ClassNames.parts) else { continue }
            let identifiers = parts.compactMap(SwiftName.identifier)
            if identifiers.count < parts.count { nameless.append(entity) }
            let type = identifiers.joined(separator: ".")
            named[entity.name] = type
            if let outermost = type.split(separator: ".").first { taken.insert(String(outermost)) }
        }
    }

    /// Returns the class that an entity names itself; `nil` for none.
    func own(_ entity: String) -> String? { named[entity] }

    /// Returns the class of an entity's objects, its own or the nearest ancestor's.
    func objects(of entity: String) -> String {
        var current: String? = entity
        while let name = current {
            if let type = named[name] { return type }
            current = parents[name]
        }
        return strata("ManagedObject")
    }

    func superclass(of entity: String) -> String { parents[entity].map(objects) ?? strata("ManagedObject") }

    func isTaken(_ name: String) -> Bool { taken.contains(name) }

    func strata(_ name: String) -> String { taken.contains(name) ? "Strata." + name : name }
    func swift(_ name: String) -> String { taken.contains(name) ? "Swift." + name : name }
    func foundation(_ name: String) -> String { taken.contains(name) ? "FoundationEssentials." + name : name }

    /// Returns the parts of a type's name without the module: `.Person` and `Shop.Person` are `Person`.
    private static func parts(_ name: String) -> [String]? {
        var parts = name.split(separator: ".").map(String.init)
        if name.first != ".", parts.count > 1 { parts.removeFirst() }
        return parts.isEmpty || parts == ["NSManagedObject"] || parts == ["ManagedObject"] ? nil : parts
    }
}
