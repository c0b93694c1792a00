/// The saves that led to a file: their number, and the IDs of the last ones, which the metadata hold.
///
/// Other processes' saves of a store follow the one that was loaded; an older copy of the file, and one that was saved
/// to after it was restored, do not: they may have other objects under the same references and versions.
struct SaveLineage: Sendable {
    /// The number of IDs in a file; saves of others before them are not compared.
    private static let idCount = 8

    private var count: Int64 = 0
    /// The IDs of the last saves, the latest first; 0 before the first save.
    private var ids = [UInt32](repeating: 0, count: idCount)

    /// Reads the lineage of a file; that of a new store where the metadata hold none, or a malformed one.
    init(_ metadata: StoreMetadata) {
        guard case .data(let bytes)? = metadata.userInfo[StoreMetadata.savesKey], bytes.count == 8 + 4 * SaveLineage.idCount else { return }
        unsafe bytes.withUnsafeBytes { bytes in
            // Big-endian, which the reader's numbers are not.
            var reader = unsafe ByteReader<UInt32>(bytes)
            guard let count = try? reader.number(Int64.self), let ids = try? ids.map({ _ in try reader.number(UInt32.self).byteSwapped })
            else { return }
            (self.count, self.ids) = (count.byteSwapped & .max, ids)
        }
    }

    /// Removes the lineage from the metadata of a file: a save leaves the metadata of the store as they are.
    static func take(from metadata: inout StoreMetadata) -> SaveLineage {
        defer { metadata.userInfo[StoreMetadata.savesKey] = nil }
        return SaveLineage(metadata)
    }

    /// Returns the lineage with another save.
    func adding(_ id: UInt32 = .random(in: 1 ... .max)) -> SaveLineage {
        var next = self
        next.count &+= 1
        next.ids = [id] + ids.dropLast()
        return next
    }

    /// Returns whether a file follows an earlier one, or is the same, as far as its IDs show it.
    func follows(_ earlier: SaveLineage) -> Bool {
        let later = count &- earlier.count
        guard later >= 0 else { return false }
        return later >= ids.count || ids[Int(later)] == earlier.ids[0]
    }

    /// The value in the metadata, of the same length after every save.
    var value: PropertyListValue {
        var writer = ByteWriter<UInt32>()
        writer.put(count.byteSwapped)
        for id in ids { writer.put(id.byteSwapped) }
        return .data(Data(writer.bytes))
    }
}
