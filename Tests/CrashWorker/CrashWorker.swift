import Strata
import StrataBinary
import StrataCoordinator
import StrataEngine
import StrataFiles
import StrataPlatform
import StrataStore
import StrataTestSupport
import StrataXML

/// Saves one generation after the other until it is killed, and reports each as soon as its save has returned.
///
///     StrataCrashWorker <mode> <directory> <seed> [open <step> | save <step> | limit <length> | descriptors <number>
///                                         | share <number> | people <steps> | backup <step> | writers 0 | verify]
///
/// It writes `start`, `open <generation>`, and `saved <generation>` for each save. The seed chooses the order in which stores are opened.
/// With `open` the process ends before a step of opening the stores, with `save` before a step of the third save; it writes `step` and the
/// step's name before it does. Where there are fewer steps it writes `passed` and the name of each, `done` and their number, and exits.
/// With `limit` no file may be written beyond a length after the second save; with `descriptors` it reads and saves while no more than a
/// number of files can be opened, and afterwards. With `share` it saves to two stores together with other
/// processes; with `backup` it backs the stores up to the directory `backup` while it saves, until it is killed or before a step of a backup, and writes
/// `backed <generation>` for each backup, of the last save before it; with `writers` eight threads save to stores of all kinds meanwhile; with `people` it makes a number of changes at random to a store of people, or goes on where the number is 0; with `verify` it checks everything and writes `verified <generation>`.
///
/// Where the directory ends in `%FF`, its last component is the byte 255, and the process works inside of it with relative paths.
///
///     StrataCrashWorker serve
///     StrataCrashWorker once <plan> <command> <argument> …
///
/// It does what ``WorkerServer`` is told on its input, or one such command.
@main
enum CrashWorker {
    static func main() {
        let arguments = CommandLine.arguments
        if arguments.dropFirst() == ["serve"] { WorkerServer.run() }
        if arguments.count > 2, arguments[1] == "once" { WorkerServer.perform(Array(arguments.dropFirst(2))) }
        guard arguments.count >= 4, let mode = CrashMode(rawValue: arguments[1]), let seed = Int(arguments[3]) else {
            Pipe.write("usage: StrataCrashWorker <mode> <directory> <seed> [open <step> | save <step>] | serve")
            exit(2)
        }
        // A file that is too long is an error, and not the end.
        signal(SIGXFSZ, SIG_IGN)
        Pipe.write("start")
        do {
            let directory = try enter(arguments[2])
            if arguments.count >= 6, let number = Int(arguments[5]) {
                switch arguments[4] {
                case "people": return try SharedPeople.run(mode, directory, seed, steps: number)
                case "writers": return try BackupWriters.run(directory)
                case "backup": return try BackupLoop.run(mode, directory, seed, killedAt: number)
                case "share": return try SharedFederation.run(directory, number)
                case "descriptors": return try DescriptorLimit.run(mode, directory, spare: number)
                case "limit": try run(mode, directory, seed, limit: number)
                default: try run(mode, directory, seed, killedDuring: arguments[4], at: number)
                }
            } else if arguments.count == 5, arguments[4] == "verify" {
                let container = try PersistentContainer(
                    model: CrashModel.model.get(), stores: mode.descriptions(in: directory, order: seed % 6))
                Pipe.write("verified \(try GraphReader(ManagedObjectContext(container.coordinator)).verifiedGeneration())")
            } else {
                try run(mode, directory, seed)
            }
        } catch {
            Pipe.write("failed \(error)")
            exit(1)
        }
    }

    /// Goes into a directory whose name no string can hold, where one is asked for.
    private static func enter(_ directory: String) throws -> String {
        guard directory.hasSuffix("%FF") else { return directory }
        let path = Array(directory.utf8.dropLast(3)).map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xFF), 0]
        guard mkdir(path, 0o777) == 0 || errno == EEXIST, chdir(path) == 0 else { throw Violation("no directory: \(errno)") }
        return "."
    }

    private static func run(_ mode: CrashMode, _ directory: String, _ seed: Int, limit: Int? = nil) throws {
        let container = try PersistentContainer(model: CrashModel.model.get(), stores: mode.descriptions(in: directory, order: seed % 6))
        var context = ManagedObjectContext(container.coordinator)
        var generation = try GraphReader(context).generation()
        Pipe.write("open \(generation)")
        while true {
            generation += 1
            // Contexts that know the objects already and contexts that do not take turns.
            if generation % 3 == seed % 3 { context = ManagedObjectContext(container.coordinator) }
            try GraphWriter(context).save(generation: generation)
            Pipe.write("saved \(generation)")
            if let limit, generation == 2 {
                var length = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(limit))
                if setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &length) != 0 { exit(4) }
            }
        }
    }

    private static func run(_ mode: CrashMode, _ directory: String, _ seed: Int, killedDuring phase: String, at step: Int) throws {
        let killSwitch = KillSwitch()
        let files = WatchedFileSystem(killSwitch)
        var descriptions = mode.descriptions(in: directory, order: seed % 6)
        for index in descriptions.indices {
            let driver: any StoreDriver =
                switch descriptions[index].driver {
                case let driver as XMLDriver: XMLDriver(driver.codec, fileSystem: files)
                case let driver as BinaryDriver: BinaryDriver(driver.codec, fileSystem: files)
                case let driver: driver
                }
            descriptions[index].driver = WatchedDriver(driver) { killSwitch.step($0) }
        }
        try RecoveryFiles.$fileSystem.withValue(files) {
            if phase == "open" { killSwitch.arm(at: step) }
            let container = try PersistentContainer(model: CrashModel.model.get(), stores: descriptions)
            let context = ManagedObjectContext(container.coordinator)
            let generation = try GraphReader(context).generation()
            Pipe.write("open \(generation)")
            if phase == "save" {
                // Saves in the same process before: what it knows is not only what it read.
                for early in 1...2 { try GraphWriter(context).save(generation: generation + early) }
                killSwitch.arm(at: step)
                try GraphWriter(context).save(generation: generation + 3)
                Pipe.write("saved \(generation + 3)")
            }
            let steps = killSwitch.disarm()
            for step in steps { Pipe.write("passed \(step)") }
            Pipe.write("done \(steps.count)")
        }
    }
}
