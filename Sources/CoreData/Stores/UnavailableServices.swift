public import Foundation

// What stands on services of Apple's: code that names it is told what to write instead.

/// A container whose stores are mirrored to CloudKit, which Linux does not have.
@available(*, unavailable, message: "CloudKit is not there on Linux: use NSPersistentContainer")
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {}

/// How a store is mirrored to CloudKit, which Linux does not have.
@available(*, unavailable, message: "CloudKit is not there on Linux: leave the options of a store's description out")
open class NSPersistentCloudKitContainerOptions: NSObject {}

/// What has Spotlight index objects, which Linux does not have.
@available(*, unavailable, message: "Spotlight is not there on Linux: leave it out")
open class NSCoreDataCoreSpotlightDelegate: NSObject {}
