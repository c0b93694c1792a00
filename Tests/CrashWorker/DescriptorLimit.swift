import Strata
import StrataPlatform
import StrataStore

/// Reads and saves, after a first save of another process, while no more than a few files can be opened; then without that limit.
enum DescriptorLimit {
    static func run(_ mode: CrashMode, _ directory: String, spare: Int) throws {
        // Nothing is used before: what the process keeps from a first use is not there yet.
        let coordinator = try PersistentContainer(model: CrashModel.model.get(), stores: mode.descriptions(in: directory)).coordinator
        var generation = 1
        try limit(to: spare) {
            for round in 0..<40 {
                do {
                    let context = ManagedObjectContext(coordinator)
                    // Reads that follow each other closely.
                    let found = try GraphReader(context).verifiedGeneration()
                    guard found == generation else { throw Violation("\(found) was read after \(generation)") }
                    if round % 4 == 3 {
                        try GraphWriter(context).save(generation: generation + 1)
                        generation += 1
                        Pipe.write("saved \(generation)")
                    }
                } catch let error as StoreError where error.code == .io && error.recovery == .retryable {}
            }
        }
        guard try GraphReader(ManagedObjectContext(coordinator)).verifiedGeneration() == generation else {
            throw Violation("\(generation) is lost")
        }
        try GraphWriter(ManagedObjectContext(coordinator)).save(generation: generation + 1)
        Pipe.write("saved \(generation + 1)")
        Pipe.write("done")
    }

    private static func limit(to spare: Int, _ body: () throws -> Void) throws {
        let number = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var before = rlimit()
        // The lowest that is free: descriptors have no gaps here.
        let next = dup(0)
        guard next >= 0, close(next) == 0, getrlimit(number, &before) == 0 else { throw Violation("no limit: \(errno)") }
        var limited = rlimit(rlim_cur: rlim_t(Int(next) + spare), rlim_max: before.rlim_max)
        guard setrlimit(number, &limited) == 0 else { throw Violation("no limit: \(errno)") }
        defer { setrlimit(number, &before) }
        try body()
    }
}
