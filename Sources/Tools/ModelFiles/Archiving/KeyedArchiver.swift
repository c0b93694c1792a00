import FoundationEssentials

/// Writes a keyed archive of Foundation's: objects that reference each other by number, each text and class once.
struct KeyedArchiver {
    typealias Object = BinaryPropertyList.Value

    private var objects: [Object] = [.string("$null")]
    private var texts: [[UInt8]: Object] = [:]
    private var classes: [String: Object] = [:]

    /// The reference of nil.
    static let null = Object.uid(0)

    /// Returns the bytes of the archive, whose root is the first object that was added.
    func bytes() -> [UInt8] {
        Object.dictionary([
            "$archiver": .string("NSKeyedArchiver"), "$version": .int(100_000), "$top": .dictionary(["root": .uid(1)]),
            "$objects": .array(objects),
        ]).bytes
    }

    /// Returns the reference of an object that is defined later, so that others can reference it.
    mutating func reserve() -> Object { add(plain: KeyedArchiver.null) }

    /// Defines an object whose reference was reserved.
    mutating func define(_ reference: Object, _ className: String, _ fields: [String: Object]) {
        guard case .uid(let number) = reference else { return }
        var fields = fields
        fields["$class"] = description(of: className)
        objects[number] = .dictionary(fields)
    }

    /// Adds an object, and returns its reference.
    mutating func add(_ className: String, _ fields: [String: Object]) -> Object {
        let reference = reserve()
        define(reference, className, fields)
        return reference
    }

    /// Adds a number, a truth value or bytes, and returns its reference.
    mutating func add(plain value: Object) -> Object {
        objects.append(value)
        return .uid(objects.count - 1)
    }

    mutating func text(_ text: String?) -> Object {
        guard let text else { return KeyedArchiver.null }
        let key = Array(text.utf8)
        if let known = texts[key] { return known }
        let reference = add(plain: .string(text))
        texts[key] = reference
        return reference
    }

    mutating func list(_ members: [Object], _ className: String = "NSArray") -> Object { add(className, ["NS.objects": .array(members)]) }

    mutating func dictionary(_ pairs: [(key: String, value: Object)], _ className: String = "NSMutableDictionary") -> Object {
        var keys: [Object] = []
        for (key, _) in pairs { keys.append(text(key)) }
        return add(className, ["NS.keys": .array(keys), "NS.objects": .array(pairs.map(\.value))])
    }

    // MARK: - Classes

    private mutating func description(of className: String) -> Object {
        if let known = classes[className] { return known }
        var chain = [className]
        while let parent = KeyedArchiver.parents[chain[chain.count - 1]] { chain.append(parent) }
        chain.append("NSObject")
        let reference = add(plain: .dictionary(["$classname": .string(className), "$classes": .array(chain.map { .string($0) })]))
        classes[className] = reference
        return reference
    }

    /// The superclasses of the archived classes; those without are subclasses of `NSObject`.
    private static let parents = [
        "NSMutableDictionary": "NSDictionary", "NSMutableArray": "NSArray", "NSNumber": "NSValue", "NSDecimalNumber": "NSNumber",
        "NSKnownKeysDictionary": "NSMutableDictionary", "NSKnownKeysDictionary1": "NSKnownKeysDictionary",
        "NSKnownKeysMappingStrategy1": "NSKnownKeysMappingStrategy", "NSAttributeDescription": "NSPropertyDescription",
        "NSDerivedAttributeDescription": "NSAttributeDescription", "NSRelationshipDescription": "NSPropertyDescription",
        "NSFetchedPropertyDescription": "NSPropertyDescription", "NSFetchRequest": "NSPersistentStoreRequest",
        "NSComparisonPredicate": "NSPredicate", "NSCompoundPredicate": "NSPredicate",
        "NSComparisonPredicateOperator": "NSPredicateOperator",
        "NSEqualityPredicateOperator": "NSPredicateOperator", "NSInPredicateOperator": "NSPredicateOperator",
        "NSSelfExpression": "NSExpression", "NSVariableExpression": "NSExpression", "NSConstantValueExpression": "NSExpression",
        "NSKeyPathSpecifierExpression": "NSExpression", "NSFunctionExpression": "NSExpression",
        "NSKeyPathExpression": "NSFunctionExpression",
    ]
}
