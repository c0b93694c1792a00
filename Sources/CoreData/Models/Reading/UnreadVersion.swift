import StrataModelFiles
import Synchronization

/// The file of a version that is read at the first use of its model: a program may load a hundred versions to find two.
final class UnreadVersion: @unchecked Sendable {
    // Sendable is unchecked: the lock guards the file.

    private let pending = Atomic(false)
    // Filling the model uses it again.
    private let lock = NSRecursiveLock()
    private var file: (path: String, listedHashes: [String: Data])?
    private var error: ModelFileError?

    /// Whether the file was not read yet.
    var isPending: Bool { pending.load(ordering: .acquiring) }

    /// The error of the file; the model has no entities then.
    var failure: ModelFileError? { lock.withLock { error } }

    func set(_ path: String, _ listedHashes: [String: Data]) {
        lock.withLock { file = (path, listedHashes) }
        pending.store(true, ordering: .releasing)
    }

    /// Reads the file into its model, unless this was done; an error is logged.
    func fill(_ model: NSManagedObjectModel) {
        guard isPending else { return }
        lock.withLock {
            guard let (path, listedHashes) = file else { return }
            file = nil
            defer { pending.store(false, ordering: .releasing) }
            do throws(ModelFileError) {
                try ModelReader(ModelFile(contentsOf: path).version()).fill(model)
            } catch let failure {
                error = failure
                ModelLog.say("Failed to load model at path: \(path): \(failure)")
            }
            model.take(listedHashes: listedHashes)
        }
    }
}
