/// The functions of a generated file that the accessors of all properties of one type share.
///
/// An accessor passes only the index of the property's name, which compiles faster than calls of generic functions.
struct SharedAccessors {
    private struct Function: Hashable {
        var called: String
        var type: String
    }

    private var names: [Function: String] = [:]
    private(set) var declarations: [String] = []

    /// Returns the call of a function that gets a value by one of CoreData's functions, `_managedOptionalValue`.
    mutating func getter(_ called: String, _ type: String, _ index: Int, _ keys: inout KeyNames) -> String {
        let name = name(called, type, &keys) { "(_ index: Int, _ object: NSManagedObject) -> \(type) { \(called)(\($0), of: object) }" }
        return "\(name)(\(index), self)"
    }

    /// Returns the call of a function that sets a value, or adds or removes one.
    mutating func setter(_ called: String, _ type: String, _ value: String, _ index: Int, _ keys: inout KeyNames) -> String {
        let name = name(called, type, &keys) { key in
            // The functions of relationships have the key first.
            let arguments = called.hasPrefix("_set") ? "value, \(key)" : "\(key), value"
            return "(_ value: \(type), _ index: Int, _ object: NSManagedObject) { \(called)(\(arguments), of: object) }"
        }
        return "\(name)(\(value), \(index), self)"
    }

    /// Returns the name of a function, and declares it at the first call.
    private mutating func name(_ called: String, _ type: String, _ keys: inout KeyNames, _ rest: (String) -> String) -> String {
        let function = Function(called: called, type: type)
        if let known = names[function] { return known }
        let name = keys.function(calling: called, for: type)
        names[function] = name
        let parameters = SharedAccessors.isGeneric(type) ? "<D: NSManagedObject>" : ""
        declarations.append("@inline(__always) private nonisolated func \(name)\(parameters)\(rest("\(keys.constant)[index]"))")
        return name
    }

    /// Returns whether the type is one of `D`, any class of managed objects.
    private static func isGeneric(_ type: String) -> Bool { ["D", "D?", "Set<D>", "Set<D>?"].contains(type) }
}
