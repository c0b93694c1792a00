import Strata

/// The URIs of objects, most of which begin like the one before.
struct ObjectURIs {
    private var last: (entity: String, store: StoreID?, prefix: [UInt8]?)?

    /// Returns the URI without the reference at its end; `nil` where it has a character that CSV or JSON would escape.
    mutating func prefix(of id: ObjectID) -> [UInt8]? {
        if let last, last.entity == id.entity.name, last.store == id.storeID { return last.prefix }
        let (uri, reference) = (id.uriRepresentation, String(id.reference))
        let isPlain = uri.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x2C && $0 != 0x5C } && uri.hasSuffix("p" + reference)
        let prefix = isPlain ? Array(uri.utf8.dropLast(reference.utf8.count)) : nil
        last = (id.entity.name, id.storeID, prefix)
        return prefix
    }
}
