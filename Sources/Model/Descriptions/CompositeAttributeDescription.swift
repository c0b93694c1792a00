/// A composite attribute of a compiled model: a view of the attributes that rows hold of it, its elements.
///
/// Each element is an attribute of the entity, named by its path, `colorScheme.primary`; the composite attribute itself
/// is not among the entity's properties, and has no slot.
public final class CompositeAttributeDescription: Sendable {
    /// The path: the name of the attribute, or of a nested one, `address.position`.
    public let name: String
    /// The declaration in the model.
    public let declaration: Attribute
    /// The index, in the model, of the entity that declares the attribute.
    public let declaringEntity: EntityIndex
    /// The elements, in the order of their declaration.
    public let elements: [CompositeElementDescription]
    /// The attributes that rows hold of it, those of composite elements too.
    public let attributes: [AttributeDescription]
    /// The requirements besides those of single attributes: that the attribute has a value, and a complete one.
    public let requirements: [CompositeRequirement]
    /// The requirements if it has a value.
    private let requirementsOfElements: [CompositeRequirement]

    /// Whether an object, or the enclosing attribute of a nested one, may be saved without a value.
    public var isOptional: Bool { declaration.isOptional }
    /// Whether the value lives in the object only.
    public var isTransient: Bool { declaration.isTransient }

    init(name: String, declaration: Attribute, declaringEntity: EntityIndex, elements: [CompositeElementDescription]) {
        self.name = name
        self.declaration = declaration
        self.declaringEntity = declaringEntity
        self.elements = elements
        attributes = elements.flatMap(\.attributes)
        let condition = (name, elements.flatMap(\.attributes))
        requirementsOfElements = elements.flatMap { element -> [CompositeRequirement] in
            switch element {
            case .attribute(let attribute, let isRequired):
                return isRequired ? [CompositeRequirement(attribute.name, [attribute], condition: condition)].compactMap { $0 } : []
            case .composite(let inner):
                let own = inner.isOptional ? nil : CompositeRequirement(inner.name, inner.attributes, condition: condition)
                return [own].compactMap { $0 } + inner.requirementsOfElements
            }
        }
        let own = declaration.isOptional ? nil : CompositeRequirement(name, attributes)
        requirements = [own].compactMap { $0 } + requirementsOfElements
    }

    /// Returns the element with a name, `nil` if there is none.
    public func element(named name: String) -> CompositeElementDescription? { elements.first { $0.name == name } }

    /// Returns the paths of required but missing values: the attribute itself, or elements of an incomplete one.
    ///
    /// Elements that are required in every row are left out: they are checked as attributes.
    package func missing(_ value: (AttributeDescription) -> Value) -> [(path: String, message: String)] {
        requirements.filter { !$0.isMet { !value($0).isNull } }.map { ($0.name, $0.message) }
    }
}

/// An element of a composite attribute.
public enum CompositeElementDescription: Sendable {
    /// A single value, and whether it is required if the composite attribute has any value.
    case attribute(AttributeDescription, isRequired: Bool)
    /// A nested composite attribute.
    case composite(CompositeAttributeDescription)

    /// The path of the element.
    public var path: String {
        switch self {
        case .attribute(let attribute, _): attribute.name
        case .composite(let composite): composite.name
        }
    }

    /// The name of the element within its composite attribute.
    public var name: String { String(path[(path.lastIndex(of: ".").map { path.index(after: $0) } ?? path.startIndex)...]) }

    /// The attributes that rows hold of it.
    public var attributes: [AttributeDescription] {
        switch self {
        case .attribute(let attribute, _): [attribute]
        case .composite(let composite): composite.attributes
        }
    }
}
