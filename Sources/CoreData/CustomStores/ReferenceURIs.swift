import Foundation
import StrataModel

/// The URIs of objects of custom stores with texts as reference objects: `x-coredata://<store>/<entity>/p<text>`.
///
/// A number is its own text; others have the graph's number, which is valid while the store is open.
enum ReferenceURIs {
    private static let prefix = "x-coredata://"

    /// Returns the URI of an object with a text as reference object; `nil` for any other.
    static func uri(of id: ObjectID) -> String? {
        guard !id.isTemporary, let storeID = id.storeID, let table = table(of: NSPersistentStore.open(id: storeID)),
            let text = table.knownObject(of: id.reference, id.entity) as? String,
            let name = escaped(id.entity.name), let reference = escaped(text), Int64(text) == nil
        else { return nil }
        return "\(prefix)\(storeID)/\(name)/p\(reference)"
    }

    /// Returns the ID of such a URI; `nil` for other URIs, and if the store is not open in the coordinator.
    static func id(_ uri: String, in coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectID? {
        let parts = uri.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard uri.hasPrefix(prefix), parts.count == 3, parts[2].hasPrefix("p"),
            let name = parts[1].removingPercentEncoding, let text = String(parts[2].dropFirst()).removingPercentEncoding,
            Int64(text) == nil, let entity = coordinator.managedObjectModel.entitiesByName[name],
            let store = coordinator.persistentStores.first(where: { $0.identifier == parts[0] }), let table = table(of: store)
        else { return nil }
        return table.id(of: text, entity, in: store)
    }

    private static func table(of store: NSPersistentStore?) -> ReferenceTable? {
        (store as? NSAtomicStore)?.references ?? (store as? NSIncrementalStore)?.references
    }

    private static func escaped(_ text: String) -> String? {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~")))
    }
}
