import FoundationEssentials
import Strata
import StrataPlatform

/// Paths where no store can be, or is: each has one message, the same on every store.
enum BadPathCases {
    private static func expectError(
        _ code: StoreError.Code, _ message: String, at path: String, _ operation: StoreError.Operation, _ body: () throws -> Void
    ) throws {
        let error = try expectStoreError(code) { try body() }
        try expectEqual(error.message, message)
        try expectEqual(error.path, path)
        try expectEqual(error.operation, operation)
    }

    /// Expects one error of opening a path, of reading and changing its metadata, and of copying to it.
    private static func expectError(
        _ code: StoreError.Code, _ message: String, of path: String, _ environment: ConformanceEnvironment
    ) throws {
        let driver = environment.description().driver
        let stack = try environment.stack(Models.company, "original")
        try stack.close()
        let original = try unwrap(environment.description("original").path)
        let metadata = try driver.metadata(at: original)
        try expectError(code, message, at: path, .open) { _ = try environment.stack(Models.company) { $0.path = path } }
        try expectError(code, message, at: path, .metadata) { _ = try driver.metadata(at: path) }
        try expectError(code, message, at: path, .metadata) { try driver.setMetadata(metadata, at: path) }
        try expectError(code, message, at: path, .replace) { try driver.replace(at: path, withStoreAt: original) }
        try expectError(code, message, at: path, .replace) { try driver.replace(at: original, withStoreAt: path) }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        // A missing directory had three messages, and XML and binary stores named a lock file beside the store.
        ConformanceCase("A missing directory has one message", in: .errors, requires: .file) { environment in
            let directory = environment.directory + "/missing"
            try expectError(.missing, "the directory does not exist: \(directory)", of: directory + "/store", environment)
            try environment.description().driver.destroy(at: directory + "/store")
            try expect(!FileManager.default.fileExists(atPath: directory), "the directory was made")
        }
        ConformanceCase("A file as the directory has the message of a missing one", in: .errors, requires: .file) { environment in
            let file = environment.directory + "/file"
            try Data([1]).write(to: URL(filePath: file))
            try expectError(.missing, "the directory does not exist: \(file)", of: file + "/store", environment)
        }
        // A directory had four messages, among them "failed to read", and a pipe two; opening a pipe waited for a
        // writer.
        ConformanceCase("A directory and a pipe have one message", in: .errors, requires: .file) { environment in
            let directory = environment.directory + "/directory"
            let pipe = environment.directory + "/pipe"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try unsafe expectEqual(mkfifo(pipe, 0o600), 0)
            for path in [directory, pipe] {
                try expectError(.foreign, "not a regular file", of: path, environment)
                try expectError(.foreign, "not a regular file", at: path, .destroy) {
                    try environment.description().driver.destroy(at: path)
                }
            }
        }
        // Three of six messages said what a store was missing for.
        ConformanceCase("A missing store has one message", in: .errors, requires: .file) { environment in
            let path = environment.directory + "/missing"
            let driver = environment.description().driver
            try expectError(.missing, "there is no store", at: path, .open) {
                _ = try environment.stack(Models.company) {
                    $0.path = path
                    $0.isReadOnly = true
                }
            }
            try expectError(.missing, "there is no store", at: path, .metadata) { _ = try driver.metadata(at: path) }
            try expectError(.missing, "there is no store", at: path, .replace) {
                try driver.replace(at: environment.directory + "/copy", withStoreAt: path)
            }
        }
        // SQLite failed to open what the others failed to rename.
        ConformanceCase("A missing store whose path ends with a slash has one message", in: .errors, requires: .file) { environment in
            let path = environment.directory + "/store/"
            try expectError(.missing, "the path of the store ends with a slash", at: path, .open) {
                _ = try environment.stack(Models.company) { $0.path = path }
            }
            try expectError(.missing, "there is no store", at: path, .metadata) {
                _ = try environment.description().driver.metadata(at: path)
            }
        }
        // Each store failed at another one of the files beside it, and left the others.
        ConformanceCase("A name that is too long for the files beside the store is refused", in: .errors, requires: .file) {
            environment in
            for length in [241, 250, 255] {
                let path = environment.directory + "/" + String(repeating: "n", count: length)
                try expectError(
                    .tooLarge, "the store's name has \(length) bytes; at most 240 are possible, as files beside it have longer names",
                    at: path, .open
                ) {
                    _ = try environment.stack(Models.company) { $0.path = path }
                }
                try expectError(.missing, "there is no store", at: path, .metadata) {
                    _ = try environment.description().driver.metadata(at: path)
                }
            }
            let path = environment.directory + "/" + String(repeating: "n", count: 240)
            let stack = try environment.stack(Models.company) { $0.path = path }
            let context = stack.context()
            _ = Person("p", context)
            try context.save()
            try expectEqual(try stack.reopened().context().names(of: Person.self), ["p"])
        }
        // A driver that opened the link's destination named that.
        ConformanceCase("A missing store behind a link is named by the link", in: .errors, requires: .file) { environment in
            let path = environment.directory + "/link"
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "missing")
            try expectError(.missing, "there is no store", at: path, .metadata) {
                _ = try environment.description().driver.metadata(at: path)
            }
            try expectError(.missing, "there is no store", at: path, .open) {
                _ = try environment.stack(Models.company) {
                    $0.path = path
                    $0.isReadOnly = true
                }
            }
        }
        // Only one store refused it; the others used the path up to the NUL.
        ConformanceCase("A path with a NUL is refused", in: .errors, requires: .file) { environment in
            let path = environment.directory + "/store\0.backup"
            try expectError(.missing, "the path of the store has a NUL character", of: path, environment)
            try expect(!FileManager.default.fileExists(atPath: environment.directory + "/store"), "a store was made")
        }
    }
}
