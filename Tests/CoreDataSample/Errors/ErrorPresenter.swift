import CoreData
import Foundation

/// Puts the errors of a save into words.
struct ErrorPresenter {
    /// What an alert says.
    struct Message: Equatable {
        var title: String
        var details: [String]
    }

    func message(for error: any Error) -> Message {
        let error = error as NSError
        guard error.domain == NSCocoaErrorDomain else {
            return Message(title: "The change could not be saved.", details: [details(of: error)])
        }
        switch error.code {
        case NSValidationMultipleErrorsError:
            let errors = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
            return Message(title: "\(errors.count) things are to be put right.", details: errors.map(details).sorted())
        case NSManagedObjectValidationError...NSValidationInvalidURIError:
            return Message(title: "Something is to be put right.", details: [details(of: error)])
        case NSManagedObjectMergeError, NSManagedObjectConstraintMergeError, NSPersistentStoreSaveConflictsError:
            return Message(title: "Somebody else has changed this meanwhile.", details: conflicts(of: error))
        case NSPersistentStoreIncompatibleVersionHashError, NSMigrationError, NSMigrationMissingSourceModelError,
            NSMigrationMissingMappingModelError:
            return Message(title: "The cookbook is of another version of this app.", details: [])
        case NSFileReadNoPermissionError, NSFileWriteNoPermissionError, NSFileWriteOutOfSpaceError, NSPersistentStoreOpenError:
            return Message(title: "The cookbook cannot be opened.", details: [])
        default:
            return Message(title: "The change could not be saved.", details: [details(of: error)])
        }
    }

    /// One rule that was broken: of which object, by which property.
    private func details(of error: NSError) -> String {
        let object = (error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject).map(name(of:))
        guard let key = error.userInfo[NSValidationKeyErrorKey] as? String else {
            return [object, error.localizedDescription].compactMap { $0 }.joined(separator: ": ")
        }
        let subject = [object, key].compactMap { $0 }.joined(separator: ", ")
        switch error.code {
        case _ where error.domain != NSCocoaErrorDomain: return "\(subject): \(error.localizedDescription)"
        case NSValidationMissingMandatoryPropertyError: return "\(subject): is missing"
        case NSValidationNumberTooLargeError: return "\(subject): \(value(of: error)) is too large"
        case NSValidationNumberTooSmallError: return "\(subject): \(value(of: error)) is too small"
        case NSValidationStringTooLongError: return "\(subject): is too long"
        case NSValidationStringTooShortError: return "\(subject): is too short"
        case NSValidationRelationshipDeniedDeleteError: return "\(subject): is still in use"
        default: return "\(subject): \(error.localizedDescription)"
        }
    }

    private func value(of error: NSError) -> String {
        error.userInfo[NSValidationValueErrorKey].map { "\($0)" } ?? "the value"
    }

    private func conflicts(of error: NSError) -> [String] {
        let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [Any] ?? []
        return conflicts.map { conflict in
            switch conflict {
            case let conflict as NSMergeConflict: name(of: conflict.sourceObject)
            case let conflict as NSConstraintConflict: conflict.constraint.joined(separator: ", ")
            default: "\(conflict)"
            }
        }
    }

    private func name(of object: NSManagedObject) -> String {
        let name = object.entity.attributesByName["name"] != nil ? object.value(forKey: "name") as? String : nil
        return name.map { "\(object.entity.name ?? "") “\($0)”" } ?? object.entity.name ?? ""
    }
}
