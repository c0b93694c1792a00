import Foundation
public import StrataFiles
public import StrataModel
public import StrataQuery

extension ModelError: CocoaConvertibleError {
    /// What the error tells, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] { userInfo(description, [CocoaKey.entity: entity, CocoaKey.validationKey: property]) }
}

extension MappingError: CocoaConvertibleError {
    /// What the error tells, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] { userInfo(description, [CocoaKey.entity: entity, CocoaKey.validationKey: property]) }
}

extension QueryError: CocoaConvertibleError {
    /// What the error tells, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] {
        userInfo(description, [CocoaKey.entity: entity.isEmpty ? nil : entity, CocoaKey.subject: subject])
    }
}

extension QueryFormatError: CocoaConvertibleError {
    /// What the error tells, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] { userInfo(description, [CocoaKey.subject: format]) }
}

extension FileError: CocoaConvertibleError {
    /// What the error tells, under Core Data's and Foundation's keys.
    public var errorUserInfo: [String: Any] {
        userInfo(
            description, [NSFilePathErrorKey: path, NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(code))])
    }
}
