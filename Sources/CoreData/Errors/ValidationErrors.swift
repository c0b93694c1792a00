import Foundation
import StrataGraph
import StrataModel
import StrataQuery

extension ValidationError {
    /// The error of the one failure, or one that stands for all.
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
    /// The error of Core Data's.
    func cocoa(in graph: ManagedObjectContext?) -> NSError {
        // What an object's own method threw is told as it is.
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

    /// The value; none for relationships, whose failures have a number here.
    private var shownValue: Any? {
        switch rule {
        case .relationshipLacksMinimumCount, .relationshipExceedsMaximumCount, .relationshipDeniedDelete: nil
        default: Boxing.boxed(value, attribute?.type)
        }
    }

    /// The predicate of the model's that is not met, and what the model says of it.
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

    /// The predicate that is not met where it is a condition, and the number that the model's description has for it.
    private var numberedPredicate: (predicate: NSPredicate, warning: Any?)? {
        guard rule == .custom, let key, let attribute = Counterparts.entity(of: objectID.entity)?.attributesByName[key] else { return nil }
        for (predicate, warning) in zip(attribute.validationPredicates, attribute.validationWarnings) {
            // The story of a condition without words of its own ends with it.
            guard let number = (warning as? NSNumber)?.intValue, let format = try? predicate.tree().predicateFormat,
                message.hasSuffix(" \(format)")
            else { continue }
            return (predicate, number)
        }
        return nil
    }
}
