public import Foundation
import StrataModel
import StrataModelFiles

extension NSManagedObjectModel {
    /// Creates the model in a file: the current version of a `.momd` or `.xcdatamodeld`, or a `.mom` or `.xcdatamodel`.
    ///
    /// The source beside a missing compiled model is read instead. `nil` if unreadable, which is logged.
    public convenience init?(contentsOf url: URL) {
        let existing = ModelLocator.existing(url)
        do {
            let version = try ModelFile(contentsOf: existing.path).version()
            let reader = try ModelReader(version)
            self.init()
            reader.fill(self)
        } catch {
            ModelLog.say("Failed to load model at path: \(existing.path): \(error)")
            return nil
        }
    }

    /// Returns the model of a name in some bundles, or in the whole program for `nil`; the first that can be read.
    static func named(_ name: String, in bundles: [Bundle]?) -> NSManagedObjectModel? {
        for bundle in bundles ?? ModelLocator.bundles {
            guard let url = ModelLocator.model(named: name, in: bundle) else { continue }
            if let model = NSManagedObjectModel(contentsOf: url) { return model }
        }
        return nil
    }
}

/// Log messages about models on standard error.
enum ModelLog {
    static func say(_ message: String) {
        FileHandle.standardError.write(Data("CoreData: error: \(message)\n".utf8))
    }
}
