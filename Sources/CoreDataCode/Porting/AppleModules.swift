/// The modules that only Apple's systems have.
enum AppleModules {
    /// What to do without a module; `nil` for one that other systems have, too.
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

    /// Modules of which much is found by the names that it has in code.
    static func module(ofName name: String) -> String? {
        if let known = modulesOfNames[name] { return known }
        let rest = name.dropFirst(2)
        guard let first = rest.first, first.isUppercase, rest.dropFirst().first?.isLowercase == true else { return nil }
        return name.hasPrefix("UI") ? "UIKit" : name.hasPrefix("CK") ? "CloudKit" : nil
    }

    private static let modulesOfNames: [String: String] = {
        var modules: [String: String] = [:]
        for (module, names) in [
            ("Combine", "AnyCancellable AnyPublisher CurrentValueSubject ObservableObject PassthroughSubject Published"),
            ("os", "Logger OSLog OSSignposter os_log os_signpost os_unfair_lock"),
            (
                "SwiftUI",
                "AppStorage Binding Environment EnvironmentObject FetchRequest FetchedResults ObservedObject SectionedFetchRequest State "
                    + "StateObject View"
            ),
            ("AppKit", "NSApplication NSColor NSImage NSTableView NSView NSViewController NSWindow NSWorkspace"),
        ] {
            for name in names.split(separator: " ") { modules[String(name)] = module }
        }
        return modules
    }()

    private static let views: Set<String> = ["AppKit", "Cocoa", "SwiftUI", "UIKit", "WatchKit", "WidgetKit"]

    static let names: Set<String> = views.union(
        """
        ARKit AVFoundation AVKit Accelerate ActivityKit AppIntents AudioToolbox AuthenticationServices BackgroundTasks Charts CloudKit
        Combine Contacts ContactsUI CoreAudio CoreBluetooth CoreGraphics CoreImage CoreLocation CoreML CoreMotion CoreServices
        CoreSpotlight CoreTelephony CoreText CoreTransferable CryptoKit Darwin DeviceCheck EventKit EventKitUI GameKit GameplayKit
        HealthKit IOKit ImageIO Intents IntentsUI LinkPresentation LocalAuthentication MapKit MediaPlayer MessageUI Messages Metal
        MetalKit MobileCoreServices MultipeerConnectivity NaturalLanguage Network NotificationCenter OSLog ObjectiveC PDFKit PassKit
        PencilKit Photos PhotosUI QuartzCore QuickLook SafariServices SceneKit Security ServiceManagement Social Speech SpriteKit StoreKit
        SwiftData SystemConfiguration TipKit UniformTypeIdentifiers UserNotifications UserNotificationsUI Vision VisionKit
        WatchConnectivity WebKit os simd
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
