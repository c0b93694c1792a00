import Foundation
import Strata
import StrataFiles
import StrataTestSupport

extension Accounts {
    /// Stores with an amount of 1, of which one of a kind is the home: the first to commit.
    static func holdingOne(home: Kind) throws -> Accounts {
        while true {
            let directory = try TemporaryDirectory("strata-accounts")
            let accounts = Accounts(directory: directory.path, kinds: Kind.allCases)
            try accounts.open { try accounts.set(1, $0) }
            if try accounts.inOrderOfCommits().first == home {
                // The directory goes with the test's process.
                _ = Unmanaged.passRetained(directory)
                return accounts
            }
        }
    }

    /// A copy of the files, in a directory that goes with the second value.
    func copied() throws -> (Accounts, TemporaryDirectory) {
        let directory = try TemporaryDirectory("strata-accounts")
        try FileManager.default.removeItem(atPath: directory.path)
        try FileManager.default.copyItem(atPath: self.directory, toPath: directory.path)
        return (Accounts(directory: directory.path, kinds: kinds), directory)
    }

    /// The same stores over files that can be made to fail; a step of SQLite and LMDB counts as a call too.
    func withFaults() -> (Accounts, FaultInjectingFileSystem) {
        let faulty = FaultInjectingFileSystem(base: PosixFileSystem.shared)
        var accounts = self
        accounts.files = faulty
        accounts.step = { step in
            // What is asked does not matter: the call is counted, and fails where it is due.
            do { _ = try faulty.linkDestination(of: "/") } catch {
                let isOver = step.hasPrefix("committed")
                throw StoreError(.io, .save, "\(step) fails", underlying: error, recovery: isOver ? .reopen : .permanent)
            }
        }
        return (accounts, faulty)
    }
}
