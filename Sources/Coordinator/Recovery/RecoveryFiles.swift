package import StrataFiles

/// The file system of the files of prepared saves; tests replace it.
package enum RecoveryFiles {
    @TaskLocal package static var fileSystem: any FileSystem = PosixFileSystem.shared
}
