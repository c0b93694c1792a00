import StrataModel

/// A property of an entity whose objects are found by a fetch: a weak, one-way relationship, which is not stored.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
    // Sendable is unchecked, as its superclass's.

    /// The fetch; in its predicate `$FETCH_SOURCE` is the object, and `$FETCHED_PROPERTY` the property.
    ///
    /// It may not be changed once the model is in use.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { willSet { checkIsEditable() } }

    override func emptyCopy() -> NSPropertyDescription { NSFetchedPropertyDescription() }

    override func fill(_ copy: NSPropertyDescription) {
        super.fill(copy)
        (copy as? NSFetchedPropertyDescription)?.fetchRequest = fetchRequest?.copyAsTemplate()
    }
}

/// A column that a fetch of dictionaries computes; no property of a stored object.
open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
    // Sendable is unchecked, as its superclass's.

    /// The expression of the column.
    open var expression: NSExpression? { willSet { checkIsEditable() } }
    /// The type of the column's values.
    open var expressionResultType: NSAttributeType = .undefinedAttributeType { willSet { checkIsEditable() } }
    /// The type of the column's values, in the spelling of later years.
    open var resultType: NSAttributeDescription.AttributeType {
        get { NSAttributeDescription.AttributeType(rawValue: expressionResultType.rawValue) }
        set { expressionResultType = NSAttributeType(rawValue: newValue.rawValue) ?? .undefinedAttributeType }
    }

    override func emptyCopy() -> NSPropertyDescription { NSExpressionDescription() }

    override func fill(_ copy: NSPropertyDescription) {
        super.fill(copy)
        guard let copy = copy as? NSExpressionDescription else { return }
        copy.expression = expression
        copy.expressionResultType = expressionResultType
    }
}
