/// The modules that only Apple's systems have.
enum AppleModules {
    /// Returns the remedy for a module; `nil` for one that other systems have, too.
    static func remedy(_ module: String) -> String? {
        guard names.contains(module) else { return nil }
        let between = "between '#if canImport(\(module))' and '#endif'"
        switch module {
        case "CloudKit": return "there is no CloudKit: keep a local container, and what shares it \(between)"
        case "Combine": return "observe notifications or asynchronous sequences, or put what uses it \(between)"
        case "CoreSpotlight": return "there is no Spotlight: put the index \(between)"
        case "os", "OSLog": return "log with a package that all systems have, or put what logs \(between)"
        case _ where views.contains(module): return "views stay in a target of their own, or \(between)"
        default: return "put what uses it \(between)"
        }
    }

    /// Returns the module of a name in code, for modules that are recognized by them.
    static func module(ofName name: String) -> String? {
        if let known = modulesOfNames[name] { return known }
        let rest = name.dropFirst(2)
        guard let first = rest.first, first.isUppercase, rest.dropFirst().first?.isLowercase == true else { return nil }
        return name.hasPrefix("UI") ? "UIKit" : name.hasPrefix("CK") ? "CloudKit" : nil
    }

    private static let modulesOfNames: [String: String] = Dictionary(byWords: [
        ("AnyCancellable AnyPublisher CurrentValueSubject ObservableObject PassthroughSubject Published", "Combine"),
        ("Logger OSLog OSSignposter os_log os_signpost os_unfair_lock", "os"),
        (
            "AppStorage Binding Environment EnvironmentObject FetchRequest FetchedResults ObservedObject SectionedFetchRequest State "
                + "StateObject View", "SwiftUI"
        ),
        ("NSApplication NSColor NSImage NSTableView NSView NSViewController NSWindow NSWorkspace", "AppKit"),
    ])

    /// The modules of views, which re-export Core Data.
    static let views: Set<String> = ["AppKit", "Cocoa", "SwiftUI", "UIKit", "WatchKit", "WidgetKit"]

    static let names: Set<String> = views.union(
        """
        ARKit AVFoundation AVKit Accelerate ActivityKit AdSupport AddressBook AppIntents AppTrackingTransparency AppleArchive
        AssetsLibrary AudioToolbox AuthenticationServices BackgroundTasks CallKit Carbon Charts ClockKit CloudKit Combine CommonCrypto
        Contacts ContactsUI CoreAudio CoreBluetooth CoreGraphics CoreHaptics CoreImage CoreLocation CoreMIDI CoreML CoreMedia CoreMotion
        CoreNFC CoreServices CoreSpotlight CoreTelephony CoreText CoreTransferable CoreVideo CryptoKit Darwin DeveloperToolsSupport
        DeviceCheck EventKit EventKitUI ExposureNotification FileProvider FoundationModels GameController GameKit GameplayKit HealthKit
        HomeKit IOKit ImageIO Intents IntentsUI JavaScriptCore LinkPresentation LocalAuthentication MapKit MediaPlayer MessageUI
        Messages Metal MetalKit MetricKit MobileCoreServices MultipeerConnectivity NaturalLanguage NearbyInteraction Network
        NotificationCenter OSLog ObjectiveC OpenGLES PDFKit PassKit PencilKit Photos PhotosUI PushKit Quartz QuartzCore QuickLook
        QuickLookThumbnailing RealityKit ReplayKit SafariServices SceneKit Security ServiceManagement ShazamKit Social SoundAnalysis
        Speech SpriteKit StoreKit SwiftData SwiftUICore SystemConfiguration TipKit UniformTypeIdentifiers UserNotifications
        UserNotificationsUI Virtualization Vision VisionKit WatchConnectivity WeatherKit WebKit XPC iAd os simd
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
