/// What Foundation has with Objective-C only, and what to write in its place.
enum UnavailableNames {
    static func remedy(_ name: String) -> String? {
        if let known = remedies[name] { return known }
        let prefixes = ["objc_", "class_", "method_", "object_", "protocol_", "sel_"]
        return prefixes.contains(where: name.hasPrefix) && runTime.contains(name)
            ? "there is no run time of Objective-C: put it between '#if canImport(ObjectiveC)' and '#endif'" : nil
    }

    private static let observing =
        "there is no observing by key: observe the context's notifications, or the object with 'withObservationTracking(_:onChange:)'"

    private static let remedies: [String: String] = [
        "NSCoreDataCoreSpotlightDelegate": "there is no Spotlight: put the index between '#if canImport(CoreSpotlight)' and '#endif'",
        "NSException": "throw an error: what raises an exception ends the program",
        "NSFileCoordinator": "read and write the file itself, or put it between '#if canImport(ObjectiveC)' and '#endif'",
        "NSKeyValueChangeKey": observing,
        "NSKeyValueObservation": observing,
        "NSMetadataQuery": "there is no iCloud: put it between '#if canImport(ObjectiveC)' and '#endif'",
        "NSPersistentCloudKitContainer":
            "there is no CloudKit: use 'NSPersistentContainer', with this one between '#if canImport(CloudKit)' and '#else'",
        "NSPersistentCloudKitContainerOptions": "there is no CloudKit: put it between '#if canImport(CloudKit)' and '#endif'",
        "automaticallyNotifiesObservers": observing,
        "containerURL": "there are no containers of groups: choose a folder, with this one between '#if canImport(ObjectiveC)' and '#else'",
        "keyPathsForValuesAffectingValue": observing,
        "mach_absolute_time": "ask 'ContinuousClock.now', or 'ProcessInfo.processInfo.systemUptime'",
        "observeValue": observing,
        "ubiquityIdentityToken": "there is no iCloud: put it between '#if canImport(ObjectiveC)' and '#endif'",
    ]

    private static let runTime: Set<String> = [
        "class_addMethod", "class_copyIvarList", "class_copyMethodList", "class_copyPropertyList", "class_getInstanceMethod",
        "class_getClassMethod", "class_getName", "class_getProperty", "class_getSuperclass", "class_replaceMethod",
        "method_exchangeImplementations", "method_getImplementation", "method_setImplementation", "objc_copyClassList",
        "objc_getAssociatedObject", "objc_getClass", "objc_getClassList", "objc_removeAssociatedObjects", "objc_setAssociatedObject",
        "objc_sync_enter", "objc_sync_exit", "object_getClass", "object_getClassName", "object_setClass", "protocol_getName",
        "sel_getName",
    ]
}
