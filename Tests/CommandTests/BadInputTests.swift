import Foundation
import Strata
import StrataLMDB
import StrataPlatform
import StrataSQLite
import StrataTestSupport
import Testing

@Suite("The command: bad input") struct BadInputTests {
    /// Runs a line of a shell with the command's path in `$0`.
    private func shell(_ line: String, _ arguments: String...) throws -> (output: String, status: Int32) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", line, try ChildProcess.executable("strata")] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (String(decoding: data, as: UTF8.self), process.terminationStatus)
    }

    private func names(_ folder: String) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder) }

    @Test("A reader that ends early ends the command silently") func brokenPipe() throws {
        let shop = try Shop()
        let file = try shop.write("total\n" + String(repeating: "1\n", count: 4_000), to: "orders.csv")
        #expect(try shop.run("import", shop.path, "Order", file).status == 0)
        let run = try shell("\"$0\" query \"$1\" Order --csv | head -n 1; exit ${PIPESTATUS[0]}", shop.path)
        #expect(run.output == "objectID,customer,isPaid,total\n")
        #expect(run.status == 141)
    }

    @Test("bench leaves no folder where it is interrupted, and none can be made") func bench() throws {
        let shop = try Shop()
        let line = """
            mkdir "$2/tmp"; TMPDIR="$2/tmp" "$0" bench --own "$1" --runs 100000 >/dev/null & child=$!
            until [ -n "$(ls "$2/tmp")" ]; do sleep 0.05; done; kill -INT $child; wait $child; echo $?; ls "$2/tmp"
            TMPDIR="$2/none" "$0" bench --own "$1"; echo $?
            """
        let run = try shell("set -m; " + line, shop.path, shop.directory.path)
        #expect(run.output.split(separator: "\n").contains("130"), "\(run.output)")
        #expect(!run.output.contains("strata-bench-") || run.output.contains("makeDirectory"))
        #expect(run.output.hasSuffix("No such file or directory (2)\n74\n"))
        #expect(try shop.run("query", shop.path, "Customer", "--csv", "--json").status == 64)
    }

    @Test("A full disk and a closed output are errors with the system's reason") func fullDisk() throws {
        let shop = try Shop()
        let full = try shop.run("export", shop.path, "Order", "-o", "/dev/full")
        #expect(full.status == 74)
        #expect(full.errors == "error: write /dev/full: No space left on device (28)\n")
        let closed = try shell("\"$0\" info \"$1\" >&-", shop.path)
        #expect(closed.status == 74)
        #expect(closed.output == "error: write standard output: Bad file descriptor (9)\n")
    }

    @Test(
        "An export to a full file system leaves nothing",
        .enabled(if: geteuid() == 0, "mounting a file system needs root")) func fullFileSystem() throws
    {
        let shop = try Shop()
        let file = try shop.write("total\n" + String(repeating: "1\n", count: 5_000), to: "orders.csv")
        _ = try shop.run("import", shop.path, "Order", file)
        try FileManager.default.createDirectory(atPath: shop.directory.file("small"), withIntermediateDirectories: false)
        let line = """
            unshare -m sh -c 'mount -t tmpfs -o size=16k none "$2/small" || exit 99
            "$0" export "$1" Order -o "$2/small/orders.csv"; code=$?; ls -A "$2/small"; exit $code' "$0" "$1" "$2"
            """
        let run = try shell(line, shop.path, shop.directory.path)
        if run.status == 99 || run.output.contains("unshare") { return }
        #expect(run.status == 74)
        #expect(run.output == "error: write \(shop.directory.file("small"))/orders.csv: No space left on device (28)\n")
    }

    @Test("An interrupt ends an import after a whole transaction, and the command prints how many rows it has") func interrupt() throws {
        let shop = try Shop()
        // The rest of the rows comes when the first transaction is stored, and the command was interrupted.
        let line = """
            { echo total; yes 1 | head -n 6000
            until [ "$("$0" count "$1" 'Order where total == 1')" -gt 0 ]; do sleep 0.05; done
            kill -INT $(cat "$2/pid"); yes 1 | head -n 20000; } |
            bash -c 'echo $$ >"$2/pid"; exec "$0" import "$1" Order - --format csv' "$0" "$1" "$2"
            """
        let run = try shell(line, shop.path, shop.directory.path)
        #expect(run.status == 130)
        let imported = try #require(run.output.firstMatch(of: /imported ([0-9]+) rows/)?.1)
        #expect(run.output.contains("error: the import was interrupted"))
        #expect(try shop.run("count", shop.path, "Order where total == 1").output == "\(imported)\n")
    }

    @Test("A store that this process has open is locked for what needs it alone", arguments: [StoreType.sqlite, .lmdb])
    func locked(type: StoreType) throws {
        let shop = try Shop()
        let path = type == .lmdb ? shop.directory.file("shop.lmdb") : shop.path
        if type == .lmdb { _ = try shop.run("convert", shop.path, "--to", "lmdb", path) }
        let description = type == .lmdb ? StoreDescription(.lmdb, path: path) : StoreDescription(.sqlite, path: path)
        let coordinator = try PersistentStoreCoordinator(openingWithOwnModel: description)
        #expect(try shop.run("compact", path).status == 75)
        #expect(try shop.run("restore", try copy(path, shop), path).status == 75)
        let info = try shop.run("info", path, "--json")
        #expect(info.output.contains("\"processes\" : [\n    \(getpid())\n  ]"))
        for store in coordinator.stores { try coordinator.remove(store) }
        #expect(try shop.run("compact", path).status == 0)
    }

    private func copy(_ path: String, _ shop: Shop) throws -> String {
        let copy = shop.directory.file("copy")
        #expect(try shop.run("backup", path, copy).status == 0)
        return copy
    }

    @Test("A backup of a damaged store replaces nothing, and leaves nothing", arguments: ["binary", "xml"]) func damage(kind: String) throws
    {
        let shop = try Shop()
        let (store, copy) = (shop.directory.file("shop.\(kind)"), shop.directory.file("copy.\(kind)"))
        #expect(try shop.run("convert", shop.path, "--to", kind, store).status == 0)
        #expect(try shop.run("backup", store, copy).status == 0)
        let good = try Data(contentsOf: URL(filePath: copy))
        var bytes = try Data(contentsOf: URL(filePath: store))
        bytes[bytes.count - 40] ^= 0x15
        try bytes.write(to: URL(filePath: store))
        #expect(try shop.run("backup", store, copy, "--replace").status == 65)
        #expect(try Data(contentsOf: URL(filePath: copy)) == good)
        let other = shop.directory.file("other.\(kind)")
        #expect(try shop.run("backup", store, other).status == 65)
        #expect(!FileManager.default.fileExists(atPath: other))
        #expect(try shop.run("restore", copy, store, "--force").status == 0)
        #expect(try shop.run("verify", store).status == 0)
    }

    @Test("A store is no copy of itself, and no file that an export replaces") func itself() throws {
        let shop = try Shop()
        let link = shop.directory.file("link.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: shop.path)
        for path in [shop.path, link] {
            #expect(try shop.run("backup", shop.path, path, "--replace").status == 64)
            #expect(try shop.run("restore", shop.path, path).status == 64)
            let export = try shop.run("export", shop.path, "Customer", "-o", path, "--format", "csv", "--replace")
            #expect(export.status == 73)
        }
        #expect(try shop.run("count", shop.path, "Customer").output == "3\n")
    }

    @Test("A path above the root directory begins at it", arguments: ["sqlite", "lmdb", "binary", "xml"]) func aboveTheRoot(kind: String)
        throws
    {
        let shop = try Shop()
        let path = shop.directory.file("copy")
        #expect(try shop.run("convert", shop.path, "--to", kind, "/../.." + path).status == 0)
        #expect(try shop.run("count", "/tmp/../.." + path, "Customer").output == "3\n")
        let run = try shell("cd /; \"$0\" verify \"../../$1\"", path)
        #expect(run.output == "The store is sound.\n")
    }

    @Test(
        "A cell that is no whole value of its type is refused",
        arguments: [
            ("total", "12abc"), ("total", "1,5"), ("total", "1 2"), ("total", "--5"), ("total", "0x10"), ("total", "1.2.3"),
            ("total", String(repeating: "9", count: 39)),
        ]) func number(column: String, text: String) throws
    {
        let shop = try Shop()
        let run = try shop.run("import", shop.path, "Order", "-", "--format", "csv", input: "\(column)\n\"\(text)\"\n")
        #expect(run.status == 65)
        #expect(run.errors.contains(":2: total is decimal, and does not take"))
    }

    @Test("A day or a time that does not exist is refused, and a zone is taken") func dates() throws {
        let shop = try Shop()
        let refused = shop.directory.file("refused.jsonl")
        let wrong = ["2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-13-01T00:00:00Z", "nan", "1e999"]
        let rows =
            wrong.enumerated().map { "\(100 + $0),\($1)\n" }.joined() + "1,\n200,2000-02-29T23:30:00.125+01:30\n201,1890-05-06T00:00Z\n"
        let run = try shop.run("import", shop.path, "Customer", "-", "--rejected", refused, input: "number,since\n" + rows)
        #expect(run.output == "imported 2 rows, refused 7, see \(refused)\n")
        let lines = try String(contentsOfFile: refused, encoding: .utf8).split(separator: "\n").compactMap {
            $0.firstMatch(of: /"line":([0-9]+)/)?.1
        }
        #expect(lines == ["2", "3", "4", "5", "6", "7", "8"])
        #expect(
            try shop.run("query", shop.path, "Customer select since where number >= 200 sort number", "--csv").lines.dropFirst()
                == ["2000-02-29T22:00:00.125Z", "1890-05-06T00:00:00Z"])
    }

    @Test("Of a transaction with a value that others have, nothing is stored without a file for refused rows") func allOrNothing() throws {
        let shop = try Shop()
        let rows = "number\n301\n1\n302\n"
        let run = try shop.run("import", shop.path, "Customer", "-", input: rows)
        #expect(run.status == 65)
        #expect(run.errors.contains("0 rows were imported before this"))
        #expect(try shop.run("count", shop.path, "Customer").output == "3\n")
    }

    @Test(
        "A malformed header or cell is refused",
        arguments: [
            ("number,\n1,2\n", "1: the first line has to name each column, once"),
            ("number,name\n61,\"a\"b\n", "2: a quoted cell is followed"),
        ]) func header(text: String, message: String) throws
    {
        let shop = try Shop()
        let run = try shop.run("import", shop.path, "Customer", "-", input: text)
        #expect(run.status == 65)
        #expect(run.errors.contains(message))
        let twice = try shop.run("import", shop.path, "Customer", "-", "--map", "no=number", input: "no,number\n1,2\n")
        #expect(twice.errors.contains("several columns are to set number"))
    }

    @Test("What a terminal would take for a command is escaped in messages and tables") func escapes() throws {
        let shop = try Shop()
        let run = try shop.run("import", shop.path, "Customer", "-", input: "number,\u{1B}[31mzz\n1,2\n")
        #expect(run.errors.contains("no property \\u{1B}[31mzz to import into"))
        #expect(try shop.run("import", shop.path, "Customer", "-", input: "number,name\n9,a\u{202E}b\u{2028}c\n").status == 0)
        let table = try shop.run("query", shop.path, "Customer select name where number == 9")
        #expect(table.lines.last == "a\\u{202E}b\\u{2028}c")
    }

    @Test(
        "A conversion that is killed leaves no store at its target, and the next one removes what it left",
        arguments: ["lmdb", "sqlite", "binary", "xml"])
    func killedConversion(kind: String) throws {
        let shop = try Shop()
        let target = shop.directory.file("out.\(kind)")
        let unfinished = shop.directory.file(".out.\(kind).unfinished")
        // A killed command left an empty store under the name that the conversion gives it.
        #expect(try shop.run("convert", shop.path, "--to", kind, unfinished).status == 0)
        #expect(try shop.run("convert", shop.path, "--to", kind, target).status == 0)
        #expect(try shop.run("diff", "--data", shop.path, target).status == 0)
        #expect(try names(shop.directory.path).filter { $0.contains("unfinished") } == [])
    }

    @Test("A conversion under way has no store at its target") func conversionUnderWay() throws {
        let shop = try Shop(customers: 60)
        // A file-size limit ends the process while it writes: nothing is cleaned up.
        let line = "ulimit -c 0; ulimit -f 64; \"$0\" convert \"$1\" --to lmdb \"$2/out\" >&2; ls \"$2\""
        let run = try shell(line, shop.path, shop.directory.path)
        #expect(!run.output.split(separator: "\n").contains("out"), "\(run.output)")
        #expect(try shop.run("convert", shop.path, "--to", "lmdb", shop.directory.file("out")).status == 0)
    }

    @Test("What killed commands left beside a copy is removed by the next", arguments: ["sqlite", "lmdb", "binary", "xml"])
    func leftovers(kind: String) throws {
        let shop = try Shop()
        let (store, copy) = (shop.directory.file("shop.\(kind)"), shop.directory.file("copy"))
        if kind != "sqlite" { #expect(try shop.run("convert", shop.path, "--to", kind, store).status == 0) }
        // No process has this number.
        let left =
            [".copy.2000000000.1.tmp"] + (kind == "sqlite" ? [".copy.2000000000.1.tmp-journal"] : kind == "lmdb" ? [".copy.copy"] : [])
        for name in left { _ = try shop.write("x", to: name) }
        #expect(try shop.run("backup", store, copy).status == 0)
        #expect(try names(shop.directory.path).filter(left.contains) == [])
    }

    @Test("A copy that fails leaves no lock where nothing was", arguments: ["sqlite", "lmdb", "binary", "xml"])
    func failedCopy(kind: String) throws {
        let shop = try Shop(customers: 60)
        let store = shop.directory.file("shop.\(kind)")
        if kind != "sqlite" { #expect(try shop.run("convert", shop.path, "--to", kind, store).status == 0) }
        try FileManager.default.createDirectory(atPath: shop.directory.file("copies"), withIntermediateDirectories: false)
        let line = "trap '' XFSZ; ulimit -f 8; \"$0\" backup \"$1\" \"$2/copies/copy\" 2>&1; echo \"exit $?\"; ls -A \"$2/copies\""
        let run = try shell(line, store, shop.directory.path)
        #expect(run.output.hasSuffix("exit 74\n"), "\(run.output)")
    }

    @Test(
        "A store in a folder that may only be read is copied from there", .enabled(if: geteuid() == 0, "another user is needed"),
        arguments: ["sqlite", "lmdb", "binary", "xml"])
    func readOnlyFolder(kind: String) throws {
        let shop = try Shop()
        let folder = shop.directory.file("folder")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        #expect(try shop.run("convert", shop.path, "--to", kind, folder + "/shop").status == 0)
        try FileManager.default.createDirectory(atPath: shop.directory.file("copies"), withIntermediateDirectories: false)
        let line = """
            chmod 755 "$2"; chmod 777 "$2/copies"; rm -f "$2"/folder/.shop.*; chmod 555 "$2/folder"
            setpriv --reuid 65534 --regid 65534 --clear-groups "$0" backup "$1" "$2/copies/copy"; echo "exit $?"
            """
        let run = try shell(line, folder + "/shop", shop.directory.path)
        #expect(run.output.hasSuffix("verified\nexit 0\n"), "\(run.output)")
    }

    @Test(
        "A member that an object of JSON has twice is refused",
        arguments: [#"{"number": 7, "number": 8}"#, #"{"number": 7, "n\u0075mber": 8}"#])
    func doubledMember(row: String) throws {
        let shop = try Shop()
        let run = try shop.run("import", shop.path, "Customer", "-", "--format", "jsonl", input: row + "\n")
        #expect(run.status == 65)
        #expect(
            run.errors.contains("standard input:1: the object has a member twice")
                || run.errors.contains("-:1: the object has a member twice"))
        #expect(try shop.run("count", shop.path, "Customer").output == "3\n")
        #expect(
            try shop.run("import", shop.path, "Customer", "-", "--format", "jsonl", input: #"{"number": 7, "name": "a:\"b\\\\"}"# + "\n")
                .status == 0)
    }
}
