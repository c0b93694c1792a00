import Strata
import StrataCoordinator
import StrataFiles
import StrataPlatform
import StrataStore
import StrataTestSupport
import Synchronization

/// Backs stores up again and again while another thread saves to them.
enum BackupLoop {
    /// The last acknowledged generation, and the failure of a save.
    private final class Saved: Sendable {
        let state = Mutex<(generation: Int, failure: String?)>((0, nil))
    }

    /// - Parameter step: The step of a backup before which the process ends; 0 for none.
    static func run(_ mode: CrashMode, _ directory: String, _ seed: Int, killedAt step: Int) throws {
        let killSwitch = KillSwitch()
        try RecoveryFiles.$fileSystem.withValue(WatchedFileSystem(killSwitch)) {
            let container = try PersistentContainer(
                model: CrashModel.model.get(), stores: mode.descriptions(in: directory, order: seed % 6))
            let saved = Saved()
            let first = try GraphReader(ManagedObjectContext(container.coordinator)).generation()
            saved.state.withLock { $0.generation = first }
            Pipe.write("open \(first)")
            _ = OwnThread.run {
                do {
                    for generation in (first + 1)... {
                        try GraphWriter(ManagedObjectContext(container.coordinator)).save(generation: generation)
                        saved.state.withLock { $0.generation = generation }
                        Pipe.write("saved \(generation)")
                    }
                } catch { saved.state.withLock { $0.failure = "\(error)" } }
            }
            while true {
                let (generation, failure) = saved.state.withLock { $0 }
                if let failure { throw Violation(failure) }
                if generation == 0 {
                    usleep(1000)
                    continue
                }
                if step > 0 { killSwitch.arm(at: step) }
                try container.coordinator.backUp(to: PathName.joining(directory, "backup"))
                let steps = killSwitch.disarm()
                Pipe.write("backed \(generation)")
                if step > 0 {
                    Pipe.write("done \(steps.count)")
                    return
                }
            }
        }
    }
}
