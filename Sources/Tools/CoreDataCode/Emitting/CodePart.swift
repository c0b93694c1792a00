import StrataModelCode

/// A generated file, being written.
struct CodePart {
    var keys: KeyNames
    /// The names of the functions that the accessors of all properties of one type share, and their declarations.
    ///
    /// An accessor passes only the index of the property's name, which compiles faster than calls of generic functions.
    private var shared: [String: String] = [:]
    private var sharedDeclarations: [String] = []
    var accessors: [String] = []
    /// The code that adds the members found by name to the module's table, by their class.
    var members: [String: [String]] = [:]
    /// The code that adds the methods of migrations to the module's table, by their class.
    var functions: [String: [String]] = [:]
    /// The prefix of the names of the table's types.
    var tablePrefix = ""
    var classes = CodeLines()
    /// The modules whose types are in the file's public interface.
    var exposedModules: Set<String> = []
    /// The paths of the files whose properties have their accessors in this one.
    private(set) var paths: [String] = []

    /// - Parameter number: Its number, from 1.
    init(number: Int) { keys = KeyNames(file: number) }

    /// Returns the expression of the name of a class's property.
    mutating func key(_ key: KeyNames.Key) -> String { "\(keys.constant)[\(keys.index(key))]" }

    /// Returns the call of a shared function that gets a value by one of CoreData's functions, `_managedOptionalValue`.
    mutating func getter(_ called: String, _ type: String, _ key: KeyNames.Key) -> String {
        let name = sharedFunction(called, type) { "(_ index: Int, _ object: NSManagedObject) -> \(type) { \(called)(\($0), of: object) }" }
        return "\(name)(\(keys.index(key)), self)"
    }

    /// Returns the call of a shared function that sets a value, or adds or removes one.
    mutating func setter(_ called: String, _ type: String, _ value: String, _ key: KeyNames.Key) -> String {
        let name = sharedFunction(called, type) { key in
            // The functions of relationships have the key first.
            let arguments = called.hasPrefix("_set") ? "value, \(key)" : "\(key), value"
            return "(_ value: \(type), _ index: Int, _ object: NSManagedObject) { \(called)(\(arguments), of: object) }"
        }
        return "\(name)(\(value), \(keys.index(key)), self)"
    }

    /// Returns the name of a shared function, and declares it at the first call.
    private mutating func sharedFunction(_ called: String, _ type: String, _ rest: (String) -> String) -> String {
        if let known = shared["\(called) \(type)"] { return known }
        let name = keys.function(calling: called, for: type)
        shared["\(called) \(type)"] = name
        let isGeneric = ["D", "D?", "Set<D>", "Set<D>?"].contains(type)
        let parameters = isGeneric ? "<D: NSManagedObject>" : ""
        sharedDeclarations.append("@inline(__always) private nonisolated func \(name)\(parameters)\(rest("\(keys.constant)[index]"))")
        return name
    }

    /// Adds the imports of a file.
    mutating func contribute(_ path: String) { if paths.last != path, !paths.contains(path) { paths.append(path) } }

    func text(module: String, imports: ImportLines) -> String {
        var lines = ["// Generated for the module \(module). What is changed here is lost when it is generated again.", ""]
        lines.append("#if !canImport(ObjectiveC)")
        let hasTable = !members.isEmpty || !functions.isEmpty
        if !accessors.isEmpty || hasTable || !classes.lines.isEmpty {
            var exposed = exposedModules
            if !classes.lines.isEmpty { exposed.formUnion(["CoreData", "Foundation"]) }
            lines += imports.lines(of: paths, exposed: exposed, published: hasTable ? "CoreData" : nil)
        }
        if !keys.declarations.isEmpty { lines += [""] + keys.declarations }
        if !sharedDeclarations.isEmpty { lines += [""] + sharedDeclarations }
        lines += accessors + table + classes.lines + ["#endif"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The table of the members found by name: public, since the optimizer removes unreferenced internal ones.
    ///
    /// It is not optimized, and has a function per class: compile time grows faster than a function's length.
    private var table: [String] {
        if members.isEmpty && functions.isEmpty { return [] }
        return ["", "public nonisolated enum _ManagedMembers: \(tablePrefix)ManagedMemberTable {"]
            + CodePart.lists("_members", of: "NSManagedObject.Type", "\(tablePrefix)ManagedMember", members)
            + CodePart.lists("_functions", of: "AnyClass", "\(tablePrefix)ManagedFunction", functions) + ["}"]
    }

    /// Returns the functions with the lists of classes.
    private static func lists(_ name: String, of owner: String, _ element: String, _ entries: [String: [String]]) -> [String] {
        // A table has a list of members in any case.
        if entries.isEmpty && name != "_members" { return [] }
        let classes = entries.sorted { $0.key < $1.key }
        var lines = ["    @_optimize(none) public static func \(name)(of owner: \(owner)) -> [\(element)] {"]
        for (index, (owner, _)) in classes.enumerated() { lines.append("        if owner == \(owner).self { return \(name)\(index)() }") }
        lines += ["        return []", "    }"]
        for (index, (_, entries)) in classes.enumerated() {
            lines.append("    @_optimize(none) private static func \(name)\(index)() -> [\(element)] {")
            lines += ["        var list: [\(element)] = []", "        list.reserveCapacity(\(entries.count))"]
            lines += entries.map { "        " + $0 } + ["        return list", "    }"]
        }
        return lines
    }
}

/// The generated files, being written.
///
/// The file of a class depends on its name alone, so that a new class changes one file.
struct CodeParts {
    var parts: [CodePart]

    init(count: Int) { parts = (1...max(count, 1)).map { CodePart(number: $0) } }

    /// The file with a class's code.
    subscript(owner: String) -> CodePart {
        get { parts[index(of: owner)] }
        _modify { yield &parts[index(of: owner)] }
    }

    private func index(of owner: String) -> Int {
        guard parts.count > 1 else { return 0 }
        var hash: UInt32 = 2_166_136_261
        for byte in owner.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int(hash ^ hash >> 16) % parts.count
    }
}
