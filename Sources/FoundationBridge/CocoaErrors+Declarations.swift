public import Foundation
public import StrataFiles
public import StrataModel
public import StrataQuery

extension ModelError: CustomNSError, LocalizedError {
    /// The domain of Core Data's errors, `NSCocoaErrorDomain`.
    public static var errorDomain: String { NSCocoaErrorDomain }
    /// Core Data's number of the failure.
    public var errorCode: Int { cocoaCode }
    /// What the error tells, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] {
        userInfo(description, [CocoaKey.entity: entity, CocoaKey.validationKey: property])
    }
    /// The whole story, as the error itself prints it.
    public var errorDescription: String? { description }
}

extension MappingError: CustomNSError, LocalizedError {
    /// The domain of Core Data's errors, `NSCocoaErrorDomain`.
    public static var errorDomain: String { NSCocoaErrorDomain }
    /// Core Data's number of the failure.
    public var errorCode: Int { cocoaCode }
    /// What the error tells, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] {
        userInfo(description, [CocoaKey.entity: entity, CocoaKey.validationKey: property])
    }
    /// The whole story, as the error itself prints it.
    public var errorDescription: String? { description }
}

extension QueryError: CustomNSError, LocalizedError {
    /// The domain of Core Data's errors, `NSCocoaErrorDomain`.
    public static var errorDomain: String { NSCocoaErrorDomain }
    /// Core Data's number of the failure.
    public var errorCode: Int { cocoaCode }
    /// What the error tells, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] {
        userInfo(description, [CocoaKey.entity: entity.isEmpty ? nil : entity, CocoaKey.subject: subject])
    }
    /// The whole story, as the error itself prints it.
    public var errorDescription: String? { description }
}

extension QueryFormatError: CustomNSError, LocalizedError {
    /// The domain of Core Data's errors, `NSCocoaErrorDomain`.
    public static var errorDomain: String { NSCocoaErrorDomain }
    /// Core Data's number of the failure.
    public var errorCode: Int { cocoaCode }
    /// What the error tells, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] {
        userInfo(description, [CocoaKey.subject: format])
    }
    /// The whole story, as the error itself prints it.
    public var errorDescription: String? { description }
}

extension FileError: CustomNSError, LocalizedError {
    /// The domain of Core Data's errors, `NSCocoaErrorDomain`.
    public static var errorDomain: String { NSCocoaErrorDomain }
    /// Core Data's number of the failure.
    public var errorCode: Int { cocoaCode }
    /// What the error tells, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] {
        userInfo(
            description, [NSFilePathErrorKey: path, NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(code))])
    }
    /// The whole story, as the error itself prints it.
    public var errorDescription: String? { description }
}
