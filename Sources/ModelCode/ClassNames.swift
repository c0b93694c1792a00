import StrataModel

/// The classes of a model's entities, and the names of types that code means although a class of the model has the same.
struct ClassNames {
    /// The Swift type by the name of the entity that names it.
    private var named: [String: String] = [:]
    private var parents: [String: String] = [:]
    /// The names in the module of the generated code that the model's classes take.
    private var taken: Set<String> = []
    /// The entities whose classes have names that none can have.
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

    /// The class that an entity names itself; `nil` for none.
    func own(_ entity: String) -> String? { named[entity] }

    /// The class of an entity's objects, its own or the nearest ancestor's.
    func objects(of entity: String) -> String {
        var current: String? = entity
        while let name = current {
            if let type = named[name] { return type }
            current = parents[name]
        }
        return strata("ManagedObject")
    }

    /// The class that an entity's class inherits.
    func superclass(of entity: String) -> String { parents[entity].map(objects) ?? strata("ManagedObject") }

    func isTaken(_ name: String) -> Bool { taken.contains(name) }

    func strata(_ name: String) -> String { taken.contains(name) ? "Strata." + name : name }
    func swift(_ name: String) -> String { taken.contains(name) ? "Swift." + name : name }
    func foundation(_ name: String) -> String { taken.contains(name) ? "FoundationEssentials." + name : name }

    /// The parts of the type of a name in a model's file, which a module may come before: `.Person` and `Shop.Person` are `Person`.
    private static func parts(_ name: String) -> [String]? {
        var parts = name.split(separator: ".").map(String.init)
        if name.first != ".", parts.count > 1 { parts.removeFirst() }
        return parts.isEmpty || parts == ["NSManagedObject"] || parts == ["ManagedObject"] ? nil : parts
    }
}
