/// Foundation's names with Objective-C only, and their replacements.
enum UnavailableNames {
    static func remedy(_ name: String) -> String? { remedies[name] }

    private static let remedies: [String: String] = Dictionary(byWords: [
        (
            "NSKeyValueChangeKey NSKeyValueObservation NSKeyValueObservedChange NSKeyValueObservingOptions automaticallyNotifiesObservers "
                + "keyPathsForValuesAffectingValue observeValue",
            "there is no observing by key: observe the context's notifications, or the object with 'withObservationTracking(_:onChange:)'"
        ),
        ("CACurrentMediaTime mach_absolute_time", "ask 'ContinuousClock.now', or 'ProcessInfo.processInfo.systemUptime'"),
        (
            "NSCoreDataCoreSpotlightDelegate",
            "there is no Spotlight: put the index between '#if canImport(CoreSpotlight)' and '#endif'"
        ),
        ("NSException", "throw an error: what raises an exception ends the program"),
        ("NSFileCoordinator", "read and write the file itself, or put it between '#if canImport(ObjectiveC)' and '#endif'"),
        ("NSHashTable NSPointerArray", "keep an array, or one of structures that hold their objects weakly"),
        ("NSMapTable", "keep a dictionary, or one of structures that hold their objects weakly"),
        ("NSMetadataQuery ubiquityIdentityToken", "there is no iCloud: put it between '#if canImport(ObjectiveC)' and '#endif'"),
        (
            "NSPersistentCloudKitContainer",
            "there is no CloudKit: use 'NSPersistentContainer', with this one between '#if canImport(CloudKit)' and '#else'"
        ),
        ("NSPersistentCloudKitContainerOptions", "there is no CloudKit: put it between '#if canImport(CloudKit)' and '#endif'"),
        (
            "containerURL",
            "there are no containers of groups: choose a folder, with this one between '#if canImport(ObjectiveC)' and '#else'"
        ),
        (
            "kCFURLIsExcludedFromBackupKey",
            "there are no backups to exclude a file from: put it between '#if canImport(ObjectiveC)' and '#endif'"
        ),
        ("kCFBundleNameKey", "write its text, \"CFBundleName\""), ("kCFBundleVersionKey", "write its text, \"CFBundleVersion\""),
        ("objectWillChange", "there is no Combine: observe the object with 'withObservationTracking(_:onChange:)'"),
        (
            "DateComponentsFormatter DistributedNotificationCenter ListFormatter MeasurementFormatter NSAppleScript "
                + "NSBackgroundActivityScheduler NSDataDetector NSExtensionContext NSFilePresenter NSFileVersion NSInvocation "
                + "NSItemProvider NSLinguisticTagger NSMetadataItem NSProxy NSUbiquitousKeyValueStore NSUserActivity "
                + "NSXPCConnection NetService RelativeDateTimeFormatter",
            "Swift's Foundation has none: put it between '#if canImport(ObjectiveC)' and '#endif'"
        ),
        (
            "class_addMethod class_copyIvarList class_copyMethodList class_copyPropertyList class_getInstanceMethod "
                + "class_getClassMethod class_getName class_getProperty class_getSuperclass class_replaceMethod "
                + "method_exchangeImplementations method_getImplementation method_setImplementation objc_copyClassList "
                + "objc_getAssociatedObject objc_getClass objc_getClassList objc_removeAssociatedObjects "
                + "objc_setAssociatedObject object_getClass object_getClassName object_setClass "
                + "protocol_getName sel_getName",
            "there is no run time of Objective-C: put it between '#if canImport(ObjectiveC)' and '#endif'"
        ),
    ])
}

extension Dictionary<String, String> {
    /// Creates a dictionary of a table with several keys, with spaces between them, for each value.
    init(byWords table: [(words: String, value: String)]) {
        self.init(table.flatMap { words, value in words.split(separator: " ").map { (String($0), value) } }) { $1 }
    }
}
