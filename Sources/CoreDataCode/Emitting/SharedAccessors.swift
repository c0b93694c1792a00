/// The functions of a generated file that the accessors of all properties of one type share.
///
/// An accessor calls one with no more than the place of the property's name: the compiler takes a third less time than where each calls
/// CoreData's generic function itself.
struct SharedAccessors {
    private struct Function: Hashable {
        var called: String
        var type: String
    }

    private var names: [Function: String] = [:]
    private(set) var declarations: [String] = []

    /// The call of a function that gets a value.
    ///
    /// - Parameters:
    ///   - called: CoreData's function: `_managedOptionalValue`.
    ///   - type: The type of the value.
    mutating func getter(_ called: String, _ type: String, _ place: Int, _ keys: inout KeyNames) -> String {
        let name = name(called, type, &keys) { "(_ place: Int, _ object: NSManagedObject) -> \(type) { \(called)(\($0), of: object) }" }
        return "\(name)(\(place), self)"
    }

    /// The call of a function that sets a value, or adds or removes one.
    mutating func setter(_ called: String, _ type: String, _ value: String, _ place: Int, _ keys: inout KeyNames) -> String {
        let name = name(called, type, &keys) { key in
            // Those of relationships' functions have the key first.
            let arguments = called.hasPrefix("_set") ? "value, \(key)" : "\(key), value"
            return "(_ value: \(type), _ place: Int, _ object: NSManagedObject) { \(called)(\(arguments), of: object) }"
        }
        return "\(name)(\(value), \(place), self)"
    }

    /// The name of a function, which is declared where it is not yet.
    private mutating func name(_ called: String, _ type: String, _ keys: inout KeyNames, _ rest: (String) -> String) -> String {
        let function = Function(called: called, type: type)
        if let known = names[function] { return known }
        let name = keys.function(calling: called, for: type)
        names[function] = name
        let parameters = SharedAccessors.isGeneric(type) ? "<D: NSManagedObject>" : ""
        declarations.append("@inline(__always) private nonisolated func \(name)\(parameters)\(rest("\(keys.constant)[place]"))")
        return name
    }

    /// Whether the type is one of `D`, which stands for any class of managed objects.
    private static func isGeneric(_ type: String) -> Bool { ["D", "D?", "Set<D>", "Set<D>?"].contains(type) }
}
