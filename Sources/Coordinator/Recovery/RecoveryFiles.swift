package import StrataFiles

/// The file system that pending files lie in; tests put another in its place.
package enum RecoveryFiles {
    @TaskLocal package static var fileSystem: any FileSystem = PosixFileSystem.shared
}
