import FoundationEssentials
import Strata
import StrataFiles
import StrataPlatform

/// Does something to the file of an open store, and then saves, twice.
///
/// It writes `saved <generation>` or `failed …` for each save, before and after `done`. The file of a store is swapped for the one of the
/// same name in the directory `<directory>.backup`.
struct FileSwap {
    private let site: LedgerSite
    private let path: String
    private let backupDirectory: String
    private let backup: String
    private let how: String

    init(_ site: LedgerSite, index: Int, how: String) throws {
        self.site = site
        self.how = how
        guard site.mode.paths.indices.contains(index) else { throw Violation("no store \(index)") }
        path = PathName.joining(site.directory, site.mode.paths[index])
        backupDirectory = site.directory + ".backup"
        backup = PathName.joining(backupDirectory, site.mode.paths[index])
    }

    func run() throws {
        let coordinator = try site.open()
        defer { LedgerSite.close(coordinator) }
        var ledger = site.ledger(coordinator)
        let generation = try site.reader(coordinator).generation()
        save(ledger, generation + 1)
        try swap()
        Pipe.write("done")
        save(ledger, generation + 2)
        ledger = site.ledger(coordinator)
        save(ledger, generation + 3)
        do { Pipe.write("read \(try site.reader(coordinator).verifiedGeneration())") } catch let violation as Violation {
            Pipe.write("violation \(violation)")
        } catch {
            Pipe.write("unread \(WorkerCommands.describe(error))")
        }
    }

    private func save(_ ledger: Ledger, _ generation: Int) {
        do {
            try ledger.change(to: generation)
            try ledger.context.save()
            Pipe.write("saved \(generation)")
        } catch {
            Pipe.write("failed \(generation) save \(WorkerCommands.describe(error))")
        }
    }

    private func swap() throws {
        let result: Int32 =
            switch how {
            case "delete": unlink(path)
            case "move": rename(path, path + ".moved")
            case "replace": try restore()
            case "overwrite": try overwrite(path, Array("this is no store\n".utf8))
            case "cut": truncate(path, (try status().st_size) / 2)
            case "empty": truncate(path, 0)
            case "link": link(path, path + ".linked")
            default: throw Violation("nothing called \(how)")
            }
        guard result == 0 else { throw Violation("\(how): \(errno)") }
    }

    /// Puts an earlier state of the store in its place, with its large values, as somebody does who knows of no log.
    private func restore() throws -> Int32 {
        for name in try FileManager.default.subpathsOfDirectory(atPath: backupDirectory) where name.contains("_EXTERNAL_DATA/") {
            let (from, to) = (PathName.joining(backupDirectory, name), PathName.joining(site.directory, name))
            if !FileManager.default.fileExists(atPath: to) { try FileManager.default.copyItem(atPath: from, toPath: to) }
        }
        return rename(backup, path)
    }

    private func status() throws -> stat {
        var answer = stat()
        guard stat(path, &answer) == 0 else { throw Violation("no status: \(errno)") }
        return answer
    }

    /// Puts another file in the store's place.
    private func overwrite(_ path: String, _ bytes: [UInt8]) throws -> Int32 {
        try FileManager.default.removeItem(atPath: path)
        return FileManager.default.createFile(atPath: path, contents: Data(bytes)) ? 0 : -1
    }
}
