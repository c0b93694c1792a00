import StrataFiles

extension StoreBackup {
    /// Returns whether a directory holds a backup, whole or with a damaged manifest; no other directory or file does.
    public static func exists(at path: String) -> Bool {
        PosixFileSystem.shared.exists(PathName.joining(path, BackupManifest.name))
    }
}
