import Foundation
import StrataModel
import StrataStore

/// Metadata of a store that Core Data itself wrote, whose columns identify its model, as its hashes are Apple's.
struct ForeignMetadata {
    static let pathKey = "StrataStorePath"

    private let store: StoreDescription
    private let metadata: StoreMetadata

    /// `nil` for metadata of other stores, and if the store does not exist.
    init?(_ information: [String: Any]) {
        guard information[StoreMetadata.writerKey] == nil, let path = information[ForeignMetadata.pathKey] as? String,
            let type = information[NSStoreTypeKey] as? String, let driver = try? StoreKinds.driver(type, [:]),
            let metadata = try? driver.metadata(at: path), metadata.isForeign
        else { return nil }
        store = StoreDescription(driver, path: path)
        self.metadata = metadata
    }

    /// Returns whether the store opens with a model's configuration.
    func isMade(with model: NSManagedObjectModel, configuration: String? = nil) -> Bool {
        guard let model = try? model.declared() else { return false }
        var store = store
        store.configuration = configuration
        return (try? store.isMade(with: model, metadata)) ?? false
    }
}
