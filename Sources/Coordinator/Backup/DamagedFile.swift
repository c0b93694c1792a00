import StrataFiles

/// The file of a store that is too damaged to show that it is one, which a copy replaces.
struct DamagedFile {
    let path: String

    /// Keeps the file, with its log, under another name beside it, where the file system has links.
    ///
    /// - Throws: `FileError`.
    func keep() throws(FileError) {
        let files = PosixFileSystem.shared
        let original = try files.resolvingLinks(path)
        guard try files.statusIfPresent(of: original) != nil else { return }
        let name = PathName.shortened(PathName.last(of: original), over: 200, keeping: 180) + ".damaged"
        for number in 1...1000 {
            let kept = PathName.joining(PathName.parent(of: original), number == 1 ? name : "\(name)-\(number)")
            do { try files.link(original, to: kept) } catch {
                if error.isExisting { continue }
                // Not every file system has links.
                return
            }
            for suffix in ["-wal", "-journal"] where try files.statusIfPresent(of: original + suffix) != nil {
                try? files.link(original + suffix, to: kept + suffix)
            }
            return
        }
    }
}
