import Foundation
import StrataPlatform
import StrataTestSupport
import Testing

@Suite("The command: the shell") struct ShellTests {
    @Test(
        "On a terminal names are completed, and lines are kept for the next shell",
        .enabled(if: dlopen("libedit.so.2", RTLD_NOW) != nil, "libedit is not installed")) func terminal() throws
    {
        let shop = try Shop()
        let terminal = try Terminal(shellOf: shop)
        terminal.type("cou\tCus\twhere num\t> 1\n")
        _ = try terminal.wait(for: "\r\n2\r\n")
        _ = try terminal.wait(for: "strata> ")
        terminal.type("query Order select tot\tlimit 1\n")
        _ = try terminal.wait(for: "total\r\n-----")
        _ = try terminal.wait(for: "strata> ")
        terminal.type("nonsense\n")
        _ = try terminal.wait(for: "error: there is no command nonsense here")
        terminal.type("exit\n")
        #expect(terminal.waitForEnd() == 0)
        let history = try String(contentsOfFile: shop.directory.file(".strata_history"), encoding: .utf8)
        // Blanks are escaped there.
        #expect(history.replacing("\\040", with: " ").contains("count Customer where number > 1\n"))
        #expect(history.contains("nonsense"))
    }

    @Test("From another input the commands of the lines are run, and the last exit code is that of the shell") func lines() throws {
        let shop = try Shop()
        let lines = """
            # a comment
            count Customer where name != "x"
            query --csv Customer select number, name where number == 2
            get Customer/p1 --json
            history list
            count 'Customer where number > 1'
            """
        let run = try shop.run("shell", shop.path, input: lines)
        #expect(run.status == 0)
        #expect(run.lines.first == "3")
        #expect(run.lines.contains("2,Customer 2"))
        #expect(run.lines.last == "2")
        #expect(run.errors.contains("has no history"))
        #expect(try shop.run("shell", shop.path, input: "count Custome\n").status == 65)
        #expect(try shop.run("shell", shop.path, input: "count 'Customer\nexit\ncount Customer\n").status == 64)
    }

    @Test("Help and usages are those of the shell, which names the store") func help() throws {
        let shop = try Shop()
        let run = try shop.run("shell", shop.path, input: "help\nhelp query\nget\nhistory list --where\n")
        #expect(run.status == 64)
        #expect(run.lines.first == "info     Shows the kind of a store, its model, entities with their counts, size and history.")
        #expect(
            run.lines.contains(
                "USAGE: query [--kind <kind>] [--schema <schema>] [--model <model>] [--model-version <model-version>] <query> [--format <format>] [--json] [--csv] [--explain]"
            ), "\(run.output)")
        #expect(run.output.contains("\n  query 'Order where total > 100"))
        #expect(run.errors.contains("See 'help get'."))
        #expect(run.errors.contains("See 'help history list'."))
        for text in [run.output, run.errors] {
            #expect(text.firstMatch(of: /<store>|strata (query|history)|--help'|The store: a path/) == nil, "\(text)")
        }
    }

    @Test(
        "A terminal shows the steps of long commands while they run",
        arguments: [
            ("backup", ["copy"], ["copying ", "verifying ", "verified"]), ("verify", [], ["verifying ", "The store is sound."]),
            ("compact", [], ["verifying ", "compacting ", "compacted"]),
            ("convert", ["--to", "lmdb", "copy"], ["converting ", "writing ", "converted 9 objects"]),
        ]) func progress(command: String, arguments: [String], steps: [String]) throws
    {
        let shop = try Shop()
        let arguments = arguments.map { $0 == "copy" ? shop.directory.file($0) : $0 }
        let terminal = try Terminal([command, shop.path] + arguments, home: shop.directory.path)
        for step in steps { _ = try terminal.wait(for: step) }
        #expect(terminal.waitForEnd() == 0)
    }

    @Test(
        "Characters beyond ASCII reach the query, and an interrupt at the prompt ends the line alone",
        .enabled(if: dlopen("libedit.so.2", RTLD_NOW) != nil, "libedit is not installed")) func characters() throws
    {
        let shop = try Shop()
        _ = try shop.run("import", shop.path, "Customer", "-", input: "number,name\n9,é日\n")
        let terminal = try Terminal(shellOf: shop)
        terminal.type("count Customer where name == \"é日\"\n")
        _ = try terminal.wait(for: "\r\n1\r\n")
        _ = try terminal.wait(for: "strata> ")
        terminal.type("count Cus\u{3}")
        // The line is erased behind the prompt.
        _ = try terminal.wait(for: "\u{1B}[K")
        terminal.type("history list --wh\t\u{15}count Order\n")
        _ = try terminal.wait(for: "ere ")
        _ = try terminal.wait(for: "\r\n6\r\n")
        terminal.type("exit\n")
        #expect(terminal.waitForEnd() == 0)
    }

    @Test("An end of the input that is typed while a command runs, or right behind it, ends the shell", arguments: [true, false])
    func end(isRunning: Bool) throws {
        let shop = try Shop(customers: 60)
        let terminal = try Terminal(shellOf: shop)
        terminal.type(isRunning ? "verify\n" : "verify\n\u{4}")
        _ = try terminal.wait(for: "verifying ")
        if isRunning { terminal.type("\u{4}") }
        _ = try terminal.wait(for: "The store is sound.")
        #expect(terminal.waitForEnd() == 0)
    }

    @Test("A history file of another program stays as it is") func otherHistory() throws {
        let shop = try Shop()
        let path = try shop.write("one\ntwo\n", to: ".strata_history")
        let terminal = try Terminal(shellOf: shop)
        terminal.type("count Order\n")
        _ = try terminal.wait(for: "\r\n6\r\n")
        _ = try terminal.wait(for: "strata> ")
        terminal.type("exit\n")
        #expect(terminal.waitForEnd() == 0)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\ntwo\n")
    }

    @Test(
        "Lines that no process can be given are refused",
        arguments: ["count Order\0", "count Order where total == \(String(repeating: "1", count: 140_000))"])
    func refusedLines(line: String) throws {
        let shop = try Shop()
        let run = try shop.run("shell", shop.path, input: line + "\n")
        #expect(run.status == 64)
        #expect(run.errors.hasPrefix("error: the line "))
    }

    @Test("A pager that is missing or ends early loses no output and is no error", arguments: ["no-such-pager", "head -n 1"])
    func pager(pager: String) throws {
        let shop = try Shop()
        let terminal = try Terminal(shellOf: shop, pager: pager)
        terminal.type("query Order select count:(total) as n\n")
        let shown = try terminal.wait(for: pager == "head -n 1" ? "n\r\n" : "\r\n6\r\n") + terminal.wait(for: "strata> ")
        #expect(!shown.contains("error"))
        #expect(!shown.contains("not found"))
        terminal.type("exit\n")
        #expect(terminal.waitForEnd() == 0)
    }
}
