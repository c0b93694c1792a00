/// The function of a method that Core Data generates for a relationship.
enum CollectionFunction {
    case add, remove, insert, removeAt, replace

    /// Parses a method's name, `addPetsObject:` or `addToPets`, to its function and the relationship's capital name.
    static func parse(_ member: ManagedMember, labels: [String?]) -> (function: CollectionFunction, name: String)? {
        if let selector = member.declaration.modifiers.objectiveCName, let found = parse(selector: selector) { return found }
        // The Objective-C name that follows from Swift's; methods that add and remove members have shorter names, too.
        if labels.first == .some(nil),
            case let selector = member.declaration.name + ":" + labels.dropFirst().map({ "\($0 ?? ""):" }).joined(),
            let found = parse(selector: selector), ![.add, .remove].contains(found.0)
        {
            return found
        }
        return parse(name: member.declaration.name, labels: labels)
    }

    private static func parse(selector: String) -> (CollectionFunction, String)? {
        let patterns: [(CollectionFunction, String, String)] = [
            (.insert, "insertObject:in", "AtIndex:"), (.insert, "insert", ":atIndexes:"), (.removeAt, "removeObjectFrom", "AtIndex:"),
            (.removeAt, "remove", "AtIndexes:"), (.replace, "replaceObjectIn", "AtIndex:withObject:"), (.add, "add", "Object:"),
            (.remove, "remove", "Object:"), (.add, "add", ":"), (.remove, "remove", ":"),
        ]
        for (function, prefix, suffix) in patterns {
            if let name = middle(selector, prefix, suffix), !name.contains(":") { return (function, name) }
        }
        if let rest = middle(selector, "replace", ":"), let end = rest.firstRange(of: "AtIndexes:with") {
            return (.replace, String(rest[..<end.lowerBound]))
        }
        return nil
    }

    private static func parse(name: String, labels: [String?]) -> (CollectionFunction, String)? {
        let patterns: [([String?], CollectionFunction, String, String)] = [
            ([nil], .add, "addTo", ""), ([nil], .remove, "removeFrom", ""), ([nil], .add, "add", "Object"), ([nil], .add, "add", ""),
            ([nil], .remove, "remove", "Object"), ([nil], .remove, "remove", ""), (["at"], .removeAt, "removeFrom", ""),
            ([nil, "at"], .insert, "insertInto", ""), (["at", "with"], .replace, "replace", ""),
        ]
        for (wanted, function, prefix, suffix) in patterns where wanted == labels {
            if let name = middle(name, prefix, suffix) { return (function, name) }
        }
        return nil
    }

    /// Returns the capitalized part between a prefix and a suffix.
    private static func middle(_ text: String, _ prefix: String, _ suffix: String) -> String? {
        guard text.hasPrefix(prefix), text.hasSuffix(suffix), text.utf8.count > prefix.utf8.count + suffix.utf8.count else { return nil }
        let name = text.dropFirst(prefix.count).dropLast(suffix.count)
        return name.first.map { !$0.isLowercase } == true ? String(name) : nil
    }

    /// Returns the call of the function with the names of its arguments; `nil` if their types do not fit.
    func call(
        _ parameters: [ResolvedType.Element], _ arguments: [String], _ key: KeyNames.Key, _ part: inout CodePart
    ) -> String? {
        let members = parameters.contains { CollectionFunction.isMany($0.type) } ? "Members" : "Member"
        switch (self, arguments.count) {
        case (.add, 1), (.remove, 1):
            let function = "_\(self == .add ? "add" : "remove")Managed\(members)"
            if let type = CollectionFunction.sharedType(parameters[0].type) {
                return part.setter(function, type, arguments[0], key)
            }
            return "\(function)(\(part.key(key)), \(arguments[0]), of: self)"
        case (.insert, 2): return "_insertManaged\(members)(\(part.key(key)), \(arguments[0]), at: \(arguments[1]), of: self)"
        case (.removeAt, 1): return "_removeManaged\(members)(\(part.key(key)), at: \(arguments[0]), of: self)"
        case (.replace, 2):
            return "_replaceManaged\(members)(\(part.key(key)), at: \(arguments[0]), with: \(arguments[1]), of: self)"
        default: return nil
        }
    }

    /// Returns the parameter type of a function for all classes that takes a value of this type, if there is one.
    private static func sharedType(_ type: ResolvedType) -> String? {
        guard !isMany(type) else {
            let name = type.nominalName
            return name?.module == "Foundation" && ["NSSet", "NSOrderedSet"].contains(name?.path) ? name?.path : nil
        }
        return type.nominalName == nil ? nil : "NSManagedObject"
    }

    private static func isMany(_ type: ResolvedType) -> Bool {
        guard let name = type.unwrapped.nominalName else { return false }
        return ["NSSet", "NSOrderedSet", "NSArray", "NSIndexSet", "IndexSet", "Set", "Array"].contains(name.path)
            && ["Swift", "Foundation"].contains(name.module)
    }
}
