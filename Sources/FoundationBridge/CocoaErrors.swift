public import Foundation
public import StrataCoordinator
public import StrataFiles
public import StrataGraph
public import StrataModel
public import StrataQuery
public import StrataStore

// The modules below import FoundationEssentials only; an error becomes an NSError here.

/// The keys of Core Data's that Foundation does not have, and of values that Core Data does not report.
enum CocoaKey {
    static let detailedErrors = "NSDetailedErrors"
    static let validationObject = "NSValidationErrorObject"
    static let validationKey = "NSValidationErrorKey"
    static let validationValue = "NSValidationErrorValue"
    static let affectedObjects = "NSAffectedObjectsErrorKey"
    static let conflicts = "conflictList"
    static let inserted = "inserted"
    static let entity = "NSValidationErrorEntity"
    static let operation = "NSOperation"
    static let subject = "NSQuerySubject"
}

/// Returns the pairs with a value, and the description under Foundation's key.
func userInfo(_ description: String, _ pairs: [String: Any?]) -> [String: Any] {
    pairs.compactMapValues(\.self).merging([NSLocalizedDescriptionKey: description]) { $1 }
}

/// An error that Foundation's clients get as one of Core Data's.
public protocol CocoaConvertibleError: CustomNSError, LocalizedError, CustomStringConvertible {
    /// Core Data's number of the failure.
    var cocoaCode: Int { get }
}

extension CocoaConvertibleError {
    /// The domain of Core Data's errors, `NSCocoaErrorDomain`.
    public static var errorDomain: String { NSCocoaErrorDomain }
    /// Core Data's number of the failure.
    public var errorCode: Int { cocoaCode }
    /// The description of the error.
    public var errorDescription: String? { description }
}

extension StoreError: CocoaConvertibleError {
    /// The properties of the error, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] {
        userInfo(
            description,
            [
                NSFilePathErrorKey: path, NSUnderlyingErrorKey: underlying.map { $0 as NSError }, CocoaKey.entity: entity,
                CocoaKey.validationKey: key,
                CocoaKey.operation: operation.rawValue, CocoaKey.conflicts: conflicts.isEmpty ? nil : conflicts,
            ])
    }
}

extension SaveConflictError: CocoaConvertibleError {
    /// The properties of the error, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] {
        userInfo(description, [CocoaKey.conflicts: conflicts, CocoaKey.affectedObjects: conflicts.map(\.objectID)])
    }
}

extension UnstableSaveError: CocoaConvertibleError {
    /// The properties of the error, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] { userInfo(description, [CocoaKey.affectedObjects: objectIDs]) }
}

extension BatchInsertError: CocoaConvertibleError {
    /// The properties of the error, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] { userInfo(description, [CocoaKey.conflicts: collisions, CocoaKey.inserted: inserted]) }
}

extension ValidationFailure: CocoaConvertibleError {
    /// The properties of the error, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] {
        userInfo(
            description,
            [
                CocoaKey.validationObject: objectID, CocoaKey.entity: entity, CocoaKey.validationKey: key,
                CocoaKey.validationValue: (value.asAny as? [Any?])?.map { $0 as Any } ?? value.asAny,
            ])
    }
}

extension ValidationError: CocoaConvertibleError {
    /// The properties of the error, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] {
        failures.count == 1
            ? failures[0].errorUserInfo
            : userInfo(
                description, [CocoaKey.detailedErrors: failures.map { $0 as NSError }, CocoaKey.affectedObjects: failures.map(\.objectID)])
    }
}

extension ModelError: CocoaConvertibleError {
    /// The properties of the error, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] { userInfo(description, [CocoaKey.entity: entity, CocoaKey.validationKey: property]) }
}

extension MappingError: CocoaConvertibleError {
    /// The properties of the error, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] { userInfo(description, [CocoaKey.entity: entity, CocoaKey.validationKey: property]) }
}

extension QueryError: CocoaConvertibleError {
    /// The properties of the error, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] {
        userInfo(description, [CocoaKey.entity: entity.isEmpty ? nil : entity, CocoaKey.subject: subject])
    }
}

extension QueryFormatError: CocoaConvertibleError {
    /// The properties of the error, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] { userInfo(description, [CocoaKey.subject: format]) }
}

extension FileError: CocoaConvertibleError {
    /// The properties of the error, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] {
        userInfo(
            description, [NSFilePathErrorKey: path, NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(code))])
    }
}
