#if Foundation
    public import Foundation

    extension ModelFileError: CustomNSError, LocalizedError {
        /// The domain of Core Data's errors, `NSCocoaErrorDomain`.
        public static var errorDomain: String { NSCocoaErrorDomain }
        /// Core Data's number of the failure.
        public var errorCode: Int { cocoaCode }
        /// The user info, under Foundation's keys.
        public var errorUserInfo: [String: Any] {
            var info: [String: Any] = [NSLocalizedDescriptionKey: description]
            info[NSFilePathErrorKey] = path
            return info
        }
        /// The description of the error.
        public var errorDescription: String? { description }
    }
#endif
