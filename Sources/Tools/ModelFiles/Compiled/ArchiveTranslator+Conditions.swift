import StrataModel
import StrataQuery

extension ArchiveTranslator {
    /// Returns the text of a condition; `nil` if it cannot be read, with a warning about the effect on its owner.
    mutating func condition(_ object: KeyedArchive.Object, _ path: String, otherwise: String) -> String? {
        do throws(ModelFileError) { return try conditions.predicate(object).predicateFormat } catch {
            warn(.unsupported, path, "the condition cannot be read, \(error.message); \(otherwise)")
            return nil
        }
    }

    private mutating func expression(_ object: KeyedArchive.Object, _ path: String, otherwise: String) -> String? {
        do throws(ModelFileError) { return try conditions.expression(object).description } catch {
            warn(.unsupported, path, "the expression cannot be read, \(error.message); \(otherwise)")
            return nil
        }
    }

    /// Returns the derivation of an attribute; `nil` for one that is not derived.
    // Apple does not document the key.
    mutating func derivation(_ object: KeyedArchive.Object, _ path: String) -> String? {
        let otherwise = "the attribute keeps the value that it is given"
        guard let derived = object.object(ofClassEndingIn: "Expression") else {
            warn(.unsupported, path, "nothing says what the attribute is derived of; \(otherwise)")
            return nil
        }
        return expression(derived, path, otherwise: otherwise)
    }

    /// Adds the elements of a composite attribute; `nil` if none of them is supported.
    // Apple does not document the key of its elements.
    mutating func composite(_ attribute: Attribute, _ object: KeyedArchive.Object, _ path: String) throws(ModelFileError) -> Attribute? {
        var attribute = attribute
        budget -= 1
        openComposites += 1
        defer { openComposites -= 1 }
        guard budget > 0, openComposites <= limits.nesting else {
            throw ModelFileError(.limitExceeded, element: path, "there are too many composite attributes, or one is within itself")
        }
        for element in object.objects(ofClassesEndingIn: "AttributeDescription") {
            guard let own = element.string("NSPropertyName") else {
                throw ModelFileError(.malformedArchive, element: path, "an element of the composite attribute has no name")
            }
            if let part = try self.attribute(own, element, "\(path).\(own)") { attribute.elements.append(part) }
        }
        if attribute.elements.isEmpty {
            warn(.unsupported, path, "no element of the composite attribute is supported; the model is without it")
            return nil
        }
        return attribute
    }

    /// Returns an element of a fetch index; `nil` if it is over nothing known.
    mutating func indexElement(_ object: KeyedArchive.Object, _ path: String) -> FetchIndex.Element? {
        let isAscending = object.flag("NSAscending")
        let described = object.object(ofClassEndingIn: "ExpressionDescription") ?? object
        if let derived = described.object(ofClassEndingIn: "Expression") {
            return expression(derived, path, otherwise: "the index is left out").map { .init(expression: $0, ascending: isAscending) }
        }
        return object.string("NSPropertyName").map { .init($0, ascending: isAscending) }
    }

    func sort(_ request: KeyedArchive.Object) -> [SortElement] {
        request.objects("NSSortDescriptors").compactMap { descriptor in
            descriptor.string("NSKey").map { SortElement($0, ascending: descriptor.flag("NSAscending")) }
        }
    }
}
