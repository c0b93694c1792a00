import StrataModel
import StrataQuery

/// Finds the element of a composite value that a key path references by the description of the key path.
///
/// It names a structure's stored property, or has its offset. So values are not needed, which cannot be made of a type
/// that checks what it decodes.
enum DescribedKeyPath {
    /// Returns the path of the element, where each step is a property that its class declares, or an element that is a
    /// stored property.
    static func path(of keyPath: AnyKeyPath, _ type: ManagedObject.Type) -> String? {
        let found = paths(steps(keyPath), ofClass: type, unwrapped(Swift.type(of: keyPath).valueType))
        return found.count == 1 ? found[0] : nil
    }

    /// Returns the description without the root: `.home?.street`.
    private static func steps(_ keyPath: AnyKeyPath) -> Substring {
        let (root, description) = ("\\\(type(of: keyPath).rootType)", String(reflecting: keyPath))
        return description.hasPrefix(root) ? description.dropFirst(root.count) : ""
    }

    /// Returns the steps that are left behind a key path's own; `nil` where there are others.
    private static func rest(_ steps: Substring, behind own: Substring) -> Substring? {
        guard !own.isEmpty, steps.hasPrefix(own) else { return nil }
        var rest = steps.dropFirst(own.count)
        if rest.first == "?" || rest.first == "!" { rest = rest.dropFirst() }
        return rest.isEmpty || rest.first == "." ? rest : nil
    }

    private static func paths(_ steps: Substring, ofClass type: ManagedObject.Type, _ value: Any.Type) -> [String] {
        // An inherited property has another description.
        (type.entityDeclaration?.properties ?? []).flatMap { property -> [String] in
            guard let keyPath = property.keyPath, let rest = rest(steps, behind: self.steps(keyPath)), !rest.isEmpty else { return [] }
            let type = Swift.type(of: keyPath).valueType
            var found: [String] = []
            if let type = type as? any CompositePropertyValue.Type {
                found = paths(rest, ofElements: type, value)
            } else if let type = unwrapped(type) as? ManagedObject.Type {
                found = paths(rest, ofClass: type, value)
            }
            return found.map { property.name + "." + $0 }
        }
    }

    private static func paths<C: CompositePropertyValue>(_ steps: Substring, ofElements: C.Type, _ value: Any.Type) -> [String] {
        C.Composite.keyPaths.flatMap { name, keyPath -> [String] in
            let (own, type) = (self.steps(keyPath), Swift.type(of: keyPath).valueType)
            // A computed property is described by its code's address, which others may share.
            guard !own.contains("<computed"), let rest = rest(steps, behind: own) else { return [] }
            // An empty value has the offset of the next one.
            if rest.isEmpty { return unwrapped(type) == value ? [name] : [] }
            guard let type = type as? any CompositePropertyValue.Type else { return [] }
            return paths(rest, ofElements: type, value).map { name + "." + $0 }
        }
    }

    private static func unwrapped(_ type: Any.Type) -> Any.Type { (type as? any OptionalType.Type)?.wrappedType ?? type }
}
