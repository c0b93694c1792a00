#if Macros
    import SwiftDiagnostics

    /// An error of a macro, or its fix, which its message identifies.
    protocol MacroMessage {
        var message: String { get }
    }

    extension MacroMessage {
        var severity: DiagnosticSeverity { .error }
        var diagnosticID: MessageID { MessageID(domain: "Strata", id: message) }
        var fixItID: MessageID { diagnosticID }
    }

    enum ModelDiagnostic: MacroMessage, DiagnosticMessage {
        case notAClass, genericClass, noSuperclass, isolated
        case constant, lazy, weak, observers, several, pattern, untyped, computed
        case takenName(String), illegalName(String), unsupportedType(String, String)
        case transientAndKept(String), transientWithoutValue
        case attributeAndRelationship, relationshipOnAttribute(String), uniqueRelationship, orderedToOne, orderedSet, inverse, countOfToOne
        case clause(String)

        var message: String {
            switch self {
            case .notAClass: "@Model is for classes that inherit ManagedObject"
            case .genericClass: "a class of a model cannot be generic: an entity is one class"
            case .noSuperclass: "a class of a model inherits ManagedObject, or another class of the model"
            case .isolated: "a class of a model is of no actor: its objects are used on the queue of their context"
            case .constant: "a property that a store keeps is a 'var': it is set when an object is fetched"
            case .lazy: "a lazy property cannot be kept in a store; mark it @Transient"
            case .weak: "a property that a store keeps is neither weak nor unowned: relationships keep no object alive"
            case .observers:
                "a property that a store keeps has no observers: it is an accessor; mark it @Transient, or observe in willSave()"
            case .several: "declare each property of a model on its own"
            case .pattern: "a property of a model has one name"
            case .untyped: "the property needs a type annotation: @Model sees no types"
            case .computed: "a computed or static property is not kept in a store"
            case .takenName(let name):
                "ManagedObject has a member '\(name)': choose another name, and say originalName for data that exists"
            case .illegalName(let name): "'\(name)' cannot be the name of a property of a model: keys and key paths are made of it"
            case .unsupportedType(let type, let reason): "'\(type)' cannot be kept in a store: \(reason)"
            case .transientAndKept(let name): "a property that is @Transient is no @\(name): it is not kept in a store"
            case .transientWithoutValue:
                "a property that is @Transient has a default value or is an optional: fetched objects begin with it"
            case .attributeAndRelationship: "a property is an @Attribute or a @Relationship, not both"
            case .relationshipOnAttribute(let type):
                "'\(type)' is no class of a model, so the property is no relationship; mark it @Attribute"
            case .uniqueRelationship: "a relationship cannot be unique: constraints are of attributes"
            case .orderedToOne: "only a relationship to many has an order"
            case .orderedSet: "an ordered relationship is an array"
            case .inverse: "the inverse is the key path of a property of the destination, with its class: \\Pet.owner"
            case .countOfToOne: "only a relationship to many has counts"
            case .clause(let name): "#\(name) takes lists of key paths of the class's own properties: [\\.name]"
            }
        }
    }

    enum ModelFix: MacroMessage, FixItMessage {
        case inherit, makeClass, makeVariable, markTransient, removeModifier, annotate, remove(String)

        var message: String {
            switch self {
            case .inherit: "inherit ManagedObject"
            case .makeClass: "make it a class that inherits ManagedObject"
            case .makeVariable: "make it a 'var'"
            case .markTransient: "mark it @Transient"
            case .removeModifier: "remove the modifier"
            case .annotate: "add a type annotation"
            case .remove(let name): "remove @\(name)"
            }
        }
    }
#endif
