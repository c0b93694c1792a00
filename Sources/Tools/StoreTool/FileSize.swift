import Foundation

/// The size of a store's files.
public enum FileSize {
    /// Returns the bytes of a store's file and of those beside it that belong to it.
    public static func ofStore(at path: String) -> Int64 {
        let url = URL(filePath: path)
        let folder = url.deletingLastPathComponent().path
        let external = "\(folder)/.\(url.deletingPathExtension().lastPathComponent)_SUPPORT"
        let large = (FileManager.default.subpaths(atPath: external) ?? []).map { "\(external)/\($0)" }
        return ([path, path + "-wal", path + "-shm"] + large).reduce(0) { sum, file in
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + ((attributes?[.size] as? NSNumber)?.int64Value ?? 0)
        }
    }
}
