import Foundation
import Strata
import StrataFiles
import StrataFilesTesting
import StrataTestSupport

extension Accounts {
    /// Stores with an amount of 1, of which one of a kind is the home: the first to commit.
    static func holdingOne(home: Kind) throws -> Accounts {
        while true {
            let accounts = try Accounts(in: TemporaryDirectory("strata-accounts"), kinds: Kind.allCases)
            try accounts.open { try accounts.set(1, $0) }
            if try accounts.inOrderOfCommits().first == home { return accounts }
        }
    }

    private init(in directory: TemporaryDirectory, kinds: [Kind]) {
        self.init(directory: directory.path, kinds: kinds)
        owner = directory
    }

    /// A copy of the files, in a directory of its own.
    func copied() throws -> Accounts {
        let directory = try TemporaryDirectory("strata-accounts")
        try FileManager.default.removeItem(atPath: directory.path)
        try FileManager.default.copyItem(atPath: self.directory, toPath: directory.path)
        return Accounts(in: directory, kinds: kinds)
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
