// Compares the command `strata` with programs that do the same through the library: the processor time of whole processes, in turn.
// Usage: StrataCommandFigures COMMAND [COUNT] [RUNS], `make tool-figures`
import Foundation
import Strata
import StrataLMDB
import StrataPlatform
import StrataSQLite

/// What is measured.
enum Step: String, CaseIterable {
    case info, count, query, jsonLines, batchInsert = "import"

    /// The greatest quotient of the command's time and the library's.
    var reach: Double { self == .batchInsert ? 1.3 : 1.5 }

    /// The arguments of the command.
    func arguments(_ store: String, _ folder: String) -> [String] {
        switch self {
        case .info: ["info", store]
        case .count: ["count", store, "Item where number >= 10"]
        case .query: ["query", store, "Item", "--csv"]
        case .jsonLines: ["query", store, "Item", "--json"]
        case .batchInsert: ["import", store, "Item", folder + "/items.csv"]
        }
    }
}

/// The objects.
enum Items {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(versionIdentifiers: ["1"]) {
            Entity("Item") {
                Attribute("number", .integer64).required
                Attribute("name", .string)
                Attribute("price", .double)
                Attribute("isSold", .boolean)
                Attribute("since", .date)
                Attribute("note", .string)
            }
        }
    }

    static func name(_ number: Int) -> String { "Item number \(number) of many" }
    static func price(_ number: Int) -> Double { Double(number % 9_999) / 4 }
    static func note(_ number: Int) -> String? { number.isMultiple(of: 10) ? "a note, with a comma" : nil }

    static func request(_ count: Int) -> BatchInsertRequest {
        var number = 0
        return BatchInsertRequest(entityName: "Item") { (values: inout [String: Value]) in
            if number == count { return true }
            values = [
                "number": .int(Int64(number)), "name": .string(name(number)), "price": .double(price(number)),
                "isSold": .bool(number.isMultiple(of: 2)), "since": .date(Date(timeIntervalSinceReferenceDate: Double(number))),
            ]
            if let note = note(number) { values["note"] = .string(note) }
            number += 1
            return false
        }
    }

    static func writeCSV(_ count: Int, to path: String) throws {
        var text = "number,name,price,isSold,since,note\n"
        let start = Date(timeIntervalSinceReferenceDate: 0)
        for number in 0..<count {
            let note = note(number).map { "\"\($0)\"" } ?? ""
            let since = start.addingTimeInterval(Double(number)).formatted(.iso8601)
            text += "\(number),\(name(number)),\(price(number)),\(number.isMultiple(of: 2)),\(since),\(note)\n"
        }
        try Data(text.utf8).write(to: URL(filePath: path))
    }
}

/// A step through the library, in a process of its own.
struct LibraryStep {
    let step: Step
    let description: StoreDescription
    let count: Int

    func run() throws {
        guard step != .batchInsert else {
            let coordinator = PersistentStoreCoordinator(model: try Items.model())
            try coordinator.addStore(description)
            return print(try coordinator.execute(Items.request(count)).count)
        }
        var description = description
        description.isReadOnly = true
        let coordinator = try PersistentStoreCoordinator(openingWithOwnModel: description)
        try BackgroundContext(coordinator, name: "figures").performAndWait { context in
            var request = ObjectFetchRequest<ManagedObject>(entityName: "Item")
            if step == .count { request.predicate = try QueryPredicate(format: "number >= 10") }
            guard step == .query || step == .jsonLines else { return print(try context.count(for: request)) }
            request.fetchBatchSize = 1_000
            var bytes = 0
            for object in try context.fetchLazily(request) {
                let values = object.snapshot()
                for attribute in object.entity.attributes where values.value(forKey: attribute.name)?.isNull == false { bytes += 1 }
            }
            print(bytes)
        }
    }
}

/// A process that was waited for: its processor time in seconds, and its greatest private memory in bytes.
struct ProcessCost {
    let seconds: Double
    // Mapped pages of files do not count. It is sampled: `ru_maxrss` begins with the memory of the process that the child was made by.
    private(set) var memory = 0

    init(_ program: String, _ arguments: [String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        guard posix_spawn(&process, program, &actions, nil, &words, environ) == 0 else { throw CocoaError(.fileNoSuchFile) }
        var (status, usage, ended): (Int32, rusage, pid_t) = (0, rusage(), 0)
        while ended == 0 {
            memory = max(memory, ProcessCost.privateMemory(of: process))
            usleep(2_000)
            ended = wait4(process, &status, WNOHANG, &usage)
        }
        guard ended == process, status == 0 else { throw CocoaError(.executableLoad) }
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        self.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// `RssAnon` of a process; 0 where it has ended.
    private static func privateMemory(of process: pid_t) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
}

@main enum Figures {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "library", let step = Step(rawValue: arguments[1]) {
            return try LibraryStep(step: step, description: description(arguments[2]), count: Int(arguments[3]) ?? 0).run()
        }
        guard let command = arguments.first else { return print("usage: StrataCommandFigures COMMAND [COUNT] [RUNS]") }
        let count = arguments.dropFirst().first.flatMap(Int.init) ?? 1_000_000
        let runs = arguments.dropFirst(2).first.flatMap(Int.init) ?? 5
        let folder = FileManager.default.temporaryDirectory.appending(path: "strata-figures-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Items.writeCSV(count, to: folder + "/items.csv")
        print("\(count) objects, processor time of whole processes in seconds, medians of \(runs) in turn")
        for kind in ["sqlite", "lmdb"] {
            let store = "\(folder)/items.\(kind)"
            try LibraryStep(step: .batchInsert, description: description(store), count: count).run()
            for step in Step.allCases { try compare(step, command, store, folder, (count, runs)) }
        }
    }

    private static func description(_ path: String) -> StoreDescription {
        path.hasSuffix("lmdb") ? StoreDescription(.lmdb, path: path) : StoreDescription(.sqlite, path: path)
    }

    private static func compare(
        _ step: Step, _ command: String, _ store: String, _ folder: String, _ size: (count: Int, runs: Int)
    ) throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var (commands, libraries): ([ProcessCost], [ProcessCost]) = ([], [])
        for run in 0..<size.runs {
            func target(_ name: String) throws -> String {
                guard step == .batchInsert else { return store }
                let path = "\(folder)/\(name)-\(run).\(URL(filePath: store).pathExtension)"
                let coordinator = PersistentStoreCoordinator(model: try Items.model())
                try coordinator.remove(try coordinator.addStore(description(path)))
                return path
            }
            libraries.append(try ProcessCost(own, ["library", step.rawValue, try target("library"), String(size.count)]))
            commands.append(try ProcessCost(command, step.arguments(try target("command"), folder)))
        }
        func median(_ costs: [ProcessCost]) -> Double { costs.map(\.seconds).sorted()[costs.count / 2] }
        let quotient = median(commands) / median(libraries)
        print(
            URL(filePath: store).pathExtension, step.rawValue,
            String(
                format: "library %.3f command %.3f, %.2f times (reach %.1f),", median(libraries), median(commands), quotient, step.reach),
            "memory \(commands.map(\.memory).max() ?? 0), library's \(libraries.map(\.memory).max() ?? 0)")
    }
}
