import StrataModel
import StrataModelFiles

/// The properties that key paths for Objective-C may name.
struct KeyPathProperties: Sendable {
    private struct Property: Sendable {
        /// The name in the model.
        var key: String
        /// The class of the objects that it leads to.
        var destination: String?
    }

    private var classes: [String: [String: Property]] = [:]
    private var superclasses: [String: String] = [:]

    init(_ module: SourceModule, _ dependencies: [SourceModule], _ models: [CoreDataModel]) {
        let modules = ([module] + dependencies).map { module in
            (name: module.name, files: module.files.enumerated().map { SourceScanner.scan($1, index: $0) })
        }
        let types = DeclaredTypes(modules)
        for model in models { add(model) }
        for (module, scanned) in zip([module] + dependencies, modules) {
            let resolver = TypeResolver(types, module: module.name)
            var collector = MemberCollector(resolver, module: module.name)
            for (file, declarations) in zip(module.files, scanned.files) { collector.collect(file, declarations) }
            for member in collector.members {
                guard case .property(let type) = member.kind else { continue }
                let target = type.unwrapped.element ?? type.unwrapped
                classes[member.owner.path, default: [:]][member.declaration.name] = Property(
                    key: member.key, destination: target.nominalName?.kind == .class ? target.nominalName?.path : nil)
                var current = member.owner
                while superclasses[current.path] == nil, let parent = resolver.superclass(of: current), parent != current {
                    superclasses[current.path] = parent.path
                    current = parent
                }
            }
            for type in scanned.files.flatMap(\.types) where type.kind == .class && type.scope.levels.isEmpty {
                let name = NominalName(module.name, type.name, .class)
                if superclasses[name.path] == nil { superclasses[name.path] = resolver.superclass(of: name)?.path }
            }
        }
    }

    private mutating func add(_ model: CoreDataModel) {
        for entity in model.declarations.entities {
            guard let name = model.className(of: entity.name)?.joined(separator: ".") else { continue }
            for attribute in entity.attributes { classes[name, default: [:]][attribute.name] = Property(key: attribute.name) }
            for relationship in entity.relationships {
                let destination = model.className(of: relationship.destination)?.joined(separator: ".")
                classes[name, default: [:]][relationship.name] = Property(key: relationship.name, destination: destination)
            }
            for ancestor in model.lineage(entity).dropFirst() {
                guard let parent = model.className(of: ancestor.name)?.joined(separator: "."), parent != name else { continue }
                superclasses[name] = parent
                break
            }
        }
    }

    /// The text of a key path that begins with the name of a class; `nil` where a part of it is not known.
    func keyPath(_ names: [String]) -> String? {
        guard let length = (1..<max(1, names.count)).last(where: { isClass(names.prefix($0).joined(separator: ".")) }) else { return nil }
        var current: String? = names.prefix(length).joined(separator: ".")
        var keys: [String] = []
        for name in names.dropFirst(length) {
            guard let owner = current, let property = property(name, of: owner) else { return nil }
            keys.append(property.key)
            current = property.destination
        }
        return keys.isEmpty ? nil : keys.joined(separator: ".")
    }

    private func isClass(_ name: String) -> Bool { classes[name] != nil || superclasses[name] != nil }

    private func property(_ name: String, of owner: String) -> Property? {
        var current: String? = owner
        var steps = 0
        while let path = current, steps < 32 {
            if let found = classes[path]?[name] { return found }
            current = superclasses[path]
            steps += 1
        }
        return nil
    }
}
