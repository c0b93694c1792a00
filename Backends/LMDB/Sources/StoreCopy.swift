import CLMDB
import StrataFiles
import StrataStore

/// Puts a compact copy of an open store where another one is, or none.
struct StoreCopy {
    let environment: LMDBEnvironment
    let destination: String

    /// Where the copy is made; what a crash leaves there the next one removes.
    static func path(beside path: String) -> String {
        PathName.joining(PathName.parent(of: path), ".\(PathName.last(of: path)).copy")
    }

    /// Copies the large values first, then renames the copy of the file into place, then removes the values of the replaced store: a crash
    /// leaves one store or the other whole.
    func run() throws {
        let files = PosixFileSystem.shared
        let old = ExternalDataDirectory(storePath: destination)
        let replaced = try old.names()
        // Nobody may save while the values are copied, or they would be others than those that the copy names.
        let turn = environment.isReadOnly ? nil : try WriteTurn(environment, "replace", until: Deadline(after: 10))
        defer { withExtendedLifetime(turn) {} }
        let parent = PathName.parent(of: destination)
        let copy = StoreCopy.path(beside: destination)
        try files.removeIfPresent(copy)
        do {
            try environment.read("replace") { _ in
                try LMDBStatus.check(mdb_env_copy2(environment.handle, copy, UInt32(MDB_CP_COMPACT)), "mdb_env_copy2")
            }
            let file = try files.open(copy, .readWrite)
            try file.synchronize()
            try file.close()
            let source = ExternalDataDirectory(storePath: environment.path)
            let kept = Set(try source.names())
            try source.copy(to: old)
            try files.removeIfPresent(destination + "-lock")
            try files.rename(copy, to: destination)
            try files.synchronizeDirectory(parent)
            try old.remove(replaced.filter { !kept.contains($0) })
        } catch {
            try? files.removeIfPresent(copy)
            throw error
        }
    }
}
