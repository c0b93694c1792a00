import Foundation
import StrataGraph
import StrataModel
import StrataQuery

extension ValidationError {
    /// Returns the error of a single failure, or one with all as detailed errors.
    func cocoa(in graph: ManagedObjectContext?) -> NSError {
        let errors = failures.map { $0.cocoa(in: graph) }
        if let error = errors.first, errors.count == 1 { return error }
        return NSError(
            domain: NSCocoaErrorDomain, code: NSValidationMultipleErrorsError,
            userInfo: [
                NSDetailedErrorsKey: errors,
                NSLocalizedDescriptionKey: ErrorDescriptions.validation(NSValidationMultipleErrorsError, nil),
                NSUnderlyingErrorKey: self as NSError,
            ])
    }
}

extension ValidationFailure {
    func cocoa(in graph: ManagedObjectContext?) -> NSError {
        // The error of an object's own method is reported unchanged.
        if let thrown { return cocoaError(thrown, in: graph) }
        var info: [String: Any] = [NSUnderlyingErrorKey: self as NSError]
        info[NSValidationObjectErrorKey] = graph?.registeredObject(for: objectID) ?? NSManagedObjectID(objectID)
        info[NSValidationKeyErrorKey] = key
        info[NSValidationValueErrorKey] = shownValue
        let broken = numberedPredicate ?? brokenPredicate
        let code = broken?.warning as? Int ?? cocoaCode
        info[NSValidationPredicateErrorKey] = broken?.predicate
        info[NSLocalizedDescriptionKey] =
            broken?.warning as? String ?? (key == nil ? message : ErrorDescriptions.validation(code, key))
        return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
    }

    private var attribute: AttributeDescription? { key.flatMap { objectID.entity.attribute(named: $0) } }

    /// The value; nil for relationships, whose failures have a count.
    private var shownValue: Any? {
        switch rule {
        case .relationshipLacksMinimumCount, .relationshipExceedsMaximumCount, .relationshipDeniedDelete: nil
        default: Boxing.boxed(value, attribute?.type)
        }
    }

    /// The model's predicate that is not met, and its validation warning.
    private var brokenPredicate: (predicate: NSPredicate, warning: Any?)? {
        guard let attribute else { return nil }
        let (predicates, warnings) = ValidationRules.predicates(of: attribute.declaration.validation, attribute.type)
        for (predicate, warning) in zip(predicates, warnings) {
            if let text = warning as? String {
                if rule == .custom && text == message { return (predicate, text) }
            } else if let code = warning as? NSNumber, code.intValue == cocoaCode, rule != .custom || predicates.count == 1 {
                return (predicate, nil)
            }
        }
        return nil
    }

    /// The predicate that is not met if it is a condition with a number in the model's description.
    private var numberedPredicate: (predicate: NSPredicate, warning: Any?)? {
        guard rule == .custom, let key, let attribute = Counterparts.entity(of: objectID.entity)?.attributesByName[key] else { return nil }
        for (predicate, warning) in zip(attribute.validationPredicates, attribute.validationWarnings) {
            // The reason of a condition without a text of its own ends with the condition.
            guard let number = (warning as? NSNumber)?.intValue, let format = try? predicate.tree().predicateFormat,
                message.hasSuffix(" \(format)")
            else { continue }
            return (predicate, number)
        }
        return nil
    }
}
