import Foundation
import StrataGraph
import StrataModel

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
        let broken = brokenPredicate
        info[NSValidationPredicateErrorKey] = broken?.predicate
        info[NSLocalizedDescriptionKey] =
            broken?.warning ?? (key == nil ? message : ErrorDescriptions.validation(cocoaCode, key))
        return NSError(domain: NSCocoaErrorDomain, code: cocoaCode, userInfo: info)
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
    private var brokenPredicate: (predicate: NSPredicate, warning: String?)? {
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
}
