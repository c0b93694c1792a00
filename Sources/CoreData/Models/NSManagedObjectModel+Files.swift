public import Foundation
import StrataModel
import StrataModelFiles

extension NSManagedObjectModel {
    /// The model in a file: the current version of a `.momd` or `.xcdatamodeld`, or a `.mom` or `.xcdatamodel`.
    ///
    /// Where a compiled model is asked for and only its source lies beside it, that is read. `nil` where it cannot be read, which is said
    /// on standard error.
    public convenience init?(contentsOf url: URL) {
        let place = ModelLocator.existing(url)
        do {
            let version = try ModelFile(contentsOf: place.path).version()
            let reader = try ModelReader(version)
            self.init()
            reader.fill(self)
        } catch {
            ModelLog.say("Failed to load model at path: \(place.path): \(error)")
            return nil
        }
    }

    /// The model of a name in some bundles, or in the whole program for `nil`; the first that can be read.
    static func named(_ name: String, in bundles: [Bundle]?) -> NSManagedObjectModel? {
        for bundle in bundles ?? ModelLocator.bundles {
            guard let url = ModelLocator.model(named: name, in: bundle) else { continue }
            if let model = NSManagedObjectModel(contentsOf: url) { return model }
        }
        return nil
    }
}

/// What is said of a model beside what its users are told.
enum ModelLog {
    static func say(_ message: String) {
        FileHandle.standardError.write(Data("CoreData: error: \(message)\n".utf8))
    }
}
