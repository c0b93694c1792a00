import StrataModel
import Synchronization

/// Finds the classes of entities by the names in models.
enum ManagedClasses {
    private struct Known {
        var imageCount = 0
        /// The classes of all images, by their names without modules.
        var descriptors: [String: [TypeMetadata.ClassDescriptor]] = [:]
        var found: [String: NSManagedObject.Type] = [:]
    }

    private static let known = Mutex(Known())

    /// Returns the class of an entity's objects.
    ///
    /// - Returns: `NSManagedObject` if no class has the name, as Core Data does.
    /// - Throws: `ModelError` for a qualified name of another class, and for an ambiguous name.
    static func objectClass(named name: String, of entity: String) throws(ModelError) -> NSManagedObject.Type {
        // Xcode writes a leading dot for the module of the model.
        let name = name.hasPrefix(".") ? String(name.dropFirst()) : name
        if name.isEmpty || name == "NSManagedObject" || name == "CoreData.NSManagedObject" { return NSManagedObject.self }
        if let found = known.withLock({ $0.found[name] }) { return found }
        let all = classes(named: name)
        let managed = all.compactMap { $0 as? NSManagedObject.Type }
        guard let first = managed.first else {
            // An unqualified name is in no particular module.
            if name.contains("."), let other = all.first {
                throw ModelError(.wrongType, entity: entity, "the class \(String(reflecting: other)) is no subclass of NSManagedObject")
            }
            ModelLog.say(
                "Unable to load class named '\(name)' for entity '\(entity)'. Class not found, using default NSManagedObject instead.")
            return NSManagedObject.self
        }
        let found = managed.count == 1 ? first : try preferred(of: managed, name, entity)
        known.withLock { $0.found[name] = found }
        return found
    }

    /// Returns the one of several classes of an unqualified name that is in the program's main module.
    private static func preferred(
        of classes: [NSManagedObject.Type], _ name: String, _ entity: String
    ) throws(ModelError) -> NSManagedObject.Type {
        let module = ProcessInfo.processInfo.processName.replacingOccurrences(of: "-", with: "_")
        if let own = classes.first(where: { String(reflecting: $0) == "\(module).\(name)" }) { return own }
        let names = classes.map { String(reflecting: $0) }.sorted().joined(separator: ", ")
        throw ModelError(.wrongType, entity: entity, "the class \(name) may be each of \(names): say its module")
    }

    /// Returns the classes of a name: exactly that of a qualified name, or those of an unqualified one in any module.
    ///
    /// Of the latter those visible in their whole module, if any, and none nested in types or of this module.
    fileprivate static func classes(named name: String) -> [AnyClass] {
        let ownName = name.split(separator: ".").last.map(String.init) ?? name
        let classes = descriptors(named: ownName).compactMap(\.type)
        if ownName != name { return classes.filter { String(reflecting: $0) == name } }
        let paths = classes.map { (type: $0, path: String(reflecting: $0).split(separator: ".")) }.filter { $0.path.first != "CoreData" }
        let visible = paths.filter { $0.path.count == 2 }
        return (visible.isEmpty ? paths.filter { $0.path.count == 3 && $0.path[1].hasPrefix("(unknown") } : visible).map(\.type)
    }

    private static func descriptors(named name: String) -> [TypeMetadata.ClassDescriptor] {
        known.withLock { known in
            if let descriptors = known.descriptors[name] { return descriptors }
            let imageCount = TypeMetadata.imageCount
            if imageCount != known.imageCount {
                known.imageCount = imageCount
                known.descriptors = Dictionary(grouping: TypeMetadata.classes(), by: \.name)
            }
            return known.descriptors[name] ?? []
        }
    }
}

/// Returns the name of a class of managed objects, with its module, for ``NSEntityDescription/managedObjectClassName``.
///
/// Foundation's function of the name traps for nested and private classes; overload resolution prefers this one.
public func NSStringFromClass(_ aClass: NSManagedObject.Type) -> String { String(reflecting: aClass) }

/// Returns the class of a name, with or without its module; `nil` if there is none, or several in different modules.
///
/// Code that `port-core-data` writes calls it, as Foundation's function takes names with modules only.
public func _classFromString(_ aClassName: String) -> AnyClass? {
    // Xcode writes a leading dot for the module of the model.
    let found = ManagedClasses.classes(named: aClassName.hasPrefix(".") ? String(aClassName.dropFirst()) : aClassName)
    return found.count == 1 ? found[0] : NSClassFromString(aClassName)
}
