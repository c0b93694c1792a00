import StrataModel
import StrataModelFiles

/// The properties in key paths for Objective-C.
struct KeyPathProperties: Sendable {
    private struct Property: Sendable {
        /// The Objective-C name, which is that in the model.
        var key: String
        /// The class of its objects; `nil` for other types, and unknown classes.
        var destination: String?
    }

    private var classes: [String: [String: Property]] = [:]
    private var superclasses: [String: String] = [:]
    /// The classes that the sources declare, not those that they extend.
    private var declaredClasses: Set<String> = []
    /// The ranges of type bodies in a file, by the file's path.
    private var bodies: [String: [(range: Range<Int>, owner: String)]] = [:]

    init(_ module: SourceModule, _ dependencies: [SourceModule], _ models: [CoreDataModel]) {
        let modules = ([module] + dependencies).map { module in
            (name: module.name, files: module.files.enumerated().map { SourceScanner.scan($1, index: $0) })
        }
        let types = DeclaredTypes(modules)
        for model in models { add(model) }
        for (module, scanned) in zip([module] + dependencies, modules) {
            let resolver = TypeResolver(types: types, module: module.name)
            for (file, declarations) in zip(module.files, scanned.files) { add(file, declarations, resolver) }
        }
    }

    private mutating func add(_ file: SourceFile, _ declarations: SourceDeclarations, _ resolver: TypeResolver) {
        for type in declarations.types where type.kind == .class {
            var scope = type.scope
            scope.levels.append(DeclarationScope.Level(names: [type.name], isExtension: false))
            guard let owner = resolver.context(of: scope), superclasses[owner.path] == nil else { continue }
            declaredClasses.insert(owner.path)
            superclasses[owner.path] = resolver.superclass(of: owner)?.path
        }
        bodies[file.path] = declarations.bodies.compactMap { body in
            resolver.context(of: body.scope).map { (body.range, $0.path) }
        }
        for member in declarations.members {
            guard case .property(let type, _) = member.kind else { continue }
            add(member.name, member.modifiers.objectiveCName, type, member.scope, resolver)
        }
        for member in declarations.managed {
            guard case .property(let type) = member.kind else { continue }
            add(member.name, member.modifiers.objectiveCName, type, member.scope, resolver)
        }
    }

    private mutating func add(
        _ name: String, _ objectiveCName: String?, _ type: TypeSyntax?, _ scope: DeclarationScope, _ resolver: TypeResolver
    ) {
        guard let owner = resolver.context(of: scope), owner.kind == .class else { return }
        let resolved = type.flatMap { try? resolver.resolve($0, in: scope) }?.unwrapped
        let target = (resolved?.element ?? resolved)?.nominalName
        classes[owner.path, default: [:]][name] = Property(
            key: objectiveCName ?? name,
            destination: target?.kind == .class ? target?.path : classes[owner.path]?[name]?.destination)
    }

    private mutating func add(_ model: CoreDataModel) {
        for entity in model.declarations.entities {
            guard let name = model.className(of: entity.name)?.joined(separator: ".") else { continue }
            for attribute in entity.attributes { classes[name, default: [:]][attribute.name] = Property(key: attribute.name) }
            for relationship in entity.relationships {
                let destination = model.className(of: relationship.destination)?.joined(separator: ".")
                classes[name, default: [:]][relationship.name] = Property(key: relationship.name, destination: destination)
            }
            let ancestors = model.lineage(entity).dropFirst().compactMap { model.className(of: $0.name)?.joined(separator: ".") }
            superclasses[name] = ancestors.first { $0 != name } ?? superclasses[name] ?? "NSManagedObject"
        }
    }

    // MARK: - Key paths

    /// Returns the text of a key path; `nil` if it is unknown.
    ///
    /// - Parameters:
    ///   - names: The names of its parts, which may begin with that of a class.
    ///   - offset: Its offset: a key path without a class begins with a property of the enclosing class.
    func keyPath(_ names: [String], at offset: Int, in path: String) -> String? {
        var names = names[...]
        var current: String?
        let around = bodies[path]?.first { $0.range.contains(offset) }?.owner
        // A class may be named without the types that it is nested in.
        let levels = around?.split(separator: ".").map(String.init) ?? []
        let scopes = (0...levels.count).reversed().map { levels.prefix($0).map { $0 + "." }.joined() }
        let named = (1..<max(1, names.count)).reversed().lazy.flatMap { length in
            scopes.map { (length, $0 + names.prefix(length).joined(separator: ".")) }
        }
        if let (length, name) = named.first(where: { isClass($0.1) }) {
            current = name
            names = names.dropFirst(length)
        } else if let around {
            if names.first == "Self" { names.removeFirst() }
            guard let first = names.first, property(first, of: around) != nil else { return nil }
            current = around
        } else {
            return nil
        }
        var keys: [String] = []
        for (index, name) in names.enumerated() {
            guard let property = current.map({ property(name, of: $0) }) ?? (index == 0 ? nil : KeyPathProperties.ofLibrary(name)) else {
                return nil
            }
            keys.append(property.key)
            current = property.destination
        }
        return keys.isEmpty ? nil : keys.joined(separator: ".")
    }

    /// Returns the Objective-C getter of the last property of a key path; `nil` if it is unknown.
    func getter(_ names: [String], at offset: Int, in path: String) -> String? {
        guard let name = names.last, let key = keyPath(names, at: offset, in: path)?.split(separator: ".").last else { return nil }
        // A framework's getter of a Boolean has the name of the property, not of the key.
        return KeyPathProperties.renamed[name].map { $0 == key } == true ? name : String(key)
    }

    private func isClass(_ name: String) -> Bool {
        classes[name] != nil || superclasses[name] != nil || LibraryTypes.all[name]?.kind == .class
    }

    private func property(_ name: String, of owner: String) -> Property? {
        var current = owner
        for _ in 0..<32 {
            if let found = classes[current]?[name] { return found }
            guard let parent = superclasses[current] else { break }
            current = parent
        }
        // Other properties are those of the frameworks' superclass.
        guard !declaredClasses.contains(current), LibraryTypes.all[current]?.kind == .class else { return nil }
        return KeyPathProperties.ofLibrary(name)
    }

    /// Returns a property of a class that a framework declares in Objective-C: a Boolean `isFault` has the key `fault`.
    private static func ofLibrary(_ name: String) -> Property? {
        if let known = renamed[name] { return Property(key: known) }
        let isBoolean = name.hasPrefix("is") && name.dropFirst(2).first?.isUppercase == true
        // A capitalized name is an unknown class, and no property.
        return isBoolean || name.first?.isUppercase == true ? nil : Property(key: name)
    }

    private static let renamed = [
        "isDeleted": "deleted", "isFault": "fault", "isInserted": "inserted", "isUpdated": "updated",
    ]
}
