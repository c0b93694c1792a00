public import FoundationEssentials
import StrataModel
import StrataQuery

extension PredicateExpressions.Value: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        guard let constant = Constants.translated(value)
        else { throw translation.error(self, "\(Output.self) is no type that a property can have") }
        return constant
    }
}

extension PredicateExpressions.NilLiteral: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated { .expression(.constant(.null)) }
}

extension PredicateExpressions.Variable: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated { .expression(try translation.value(of: self)) }
}

extension PredicateExpressions.KeyPath: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        if Root.Output.self is ManagedObject.Type {
            let object = try translation.expression(root)
            let path = try KeyPathProbe.path(of: keyPath)
            return .expression(path.isEmpty ? object : object.appending(path))
        }
        if let kind { return try translated(kind, by: &translation) }
        if isRawValue { return try translation.translated(root) }
        // The owner of the property may have no counterpart in a query.
        _ = try translation.translated(root)
        throw unknownProperty(translation)
    }

    private func unknownProperty(_ translation: Translation) -> QueryError {
        translation.error(self, "\(Root.Output.self) has no property that a query knows, of type \(Output.self)")
    }

    private func translated(_ kind: CommonKeyPathKind, by translation: inout Translation) throws(QueryError) -> Translated {
        let collection = try translation.collection(root)
        if collection.isConstant { throw translation.error(self, "\(Output.self) is no type that a property can have") }
        let isText = Root.Output.self is any StringProtocol.Type
        guard isText || (Root.Output.self as? any Sequence.Type)?.elementIsManaged == true
        else { throw translation.error(self, "\(Root.Output.self) is neither text nor the destinations of a relationship") }
        switch kind {
        case .collectionCount: return .expression(isText ? .function(.characterCount, [collection]) : collection.appending("@count"))
        case .collectionIsEmpty: return .predicate(isText ? collection == .string("") : collection.appending("@count") == .int(0))
        case .collectionFirst where !isText: return .expression(.element(collection, .first))
        case .bidirectionalCollectionLast where !isText: return .expression(.element(collection, .last))
        // No query takes a character out of text.
        case .collectionFirst, .bidirectionalCollectionLast: throw unknownProperty(translation)
        }
    }

    /// Whether this is the raw value of an enumeration, as a store holds it.
    private var isRawValue: Bool {
        guard let type = Root.Output.self as? any (ValueConvertible & RawRepresentable).Type else { return false }
        return keepsValue(type)
    }

    private func keepsValue<V: ValueConvertible>(_ type: V.Type) -> Bool {
        let samples = SampleValues.samples(of: type)
        return samples.count > 1
            && samples.allSatisfy { sample in
                ((sample as Any)[keyPath: keyPath as AnyKeyPath] as? any ValueConvertible)?.value == sample.value
            }
    }
}

extension Sequence {
    static var elementIsManaged: Bool { Element.self is ManagedObject.Type }
}
