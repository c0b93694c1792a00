public import Foundation

// Services of Apple's: code that names them gets a hint on what to write instead.

/// A container whose stores are mirrored to CloudKit, which Linux does not have.
@available(*, unavailable, message: "CloudKit is not there on Linux: use NSPersistentContainer")
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {}

/// How a store is mirrored to CloudKit, which Linux does not have.
@available(*, unavailable, message: "CloudKit is not there on Linux: leave the options of a store's description out")
open class NSPersistentCloudKitContainerOptions: NSObject {}

/// Indexes objects for Spotlight, which Linux does not have.
@available(*, unavailable, message: "Spotlight is not there on Linux: leave it out")
open class NSCoreDataCoreSpotlightDelegate: NSObject {}
