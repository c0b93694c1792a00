import Foundation
import StrataPlatform
import StrataTestSupport
import Testing

@Suite("The command: the shell") struct ShellTests {
    @Test(
        "On a terminal names are completed, lines kept, and an end of the input ends the shell",
        .enabled(if: dlopen("libedit.so.2", RTLD_NOW) != nil, "libedit is not installed")) func terminal() throws
    {
        let shop = try Shop()
        let terminal = try Terminal(["shell", shop.path], home: shop.directory.path)
        _ = try terminal.wait(for: "strata> ")
        terminal.type("cou\tCus\twhere num\t> 1\n")
        _ = try terminal.wait(for: "\r\n2\r\n")
        _ = try terminal.wait(for: "strata> ")
        terminal.type("query Order select tot\tlimit 1\n")
        _ = try terminal.wait(for: "total\r\n-----")
        _ = try terminal.wait(for: "strata> ")
        terminal.type("nonsense\n")
        _ = try terminal.wait(for: "error: there is no command nonsense here")
        terminal.type("\u{4}")
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
}
