import Foundation
import StrataTestSupport
import Testing

@Suite("The command: its manual page and completions") struct ManualTests {
    /// The names of all commands that the help lists.
    private static func commands(under parents: [String] = []) throws -> [[String]] {
        let help = try CommandRun(["help"] + parents).output
        guard let list = help.range(of: "SUBCOMMANDS:") else { return parents.isEmpty ? [] : [parents] }
        let names = help[list.upperBound...].split(separator: "\n").compactMap { line -> String? in
            line.hasPrefix("  ") && !line.hasPrefix("   ") ? line.split(separator: " ").first.map(String.init) : nil
        }
        return try names.filter { $0 != "See" && $0 != "help" }.flatMap { try commands(under: parents + [$0]) }
    }

    @Test("The page has every command, and every exit code") func page() throws {
        let page = try CommandRun(["manual"]).output
        #expect(page.hasPrefix(".TH STRATA 1"))
        let commands = try Self.commands()
        #expect(commands.count > 25)
        for command in commands {
            #expect(page.contains(".SS strata \(command.joined(separator: " "))\n"), "\(command)")
        }
        for code in ["0", "1", "64", "65", "66", "69", "70", "73", "74", "75", "77", "130", "141", "143"] {
            #expect(page.contains(".TP\n.B \(code)\n"), "\(code)")
        }
    }

    @Test("There are completions for three shells", arguments: ["bash", "zsh", "fish"]) func completions(shell: String) throws {
        let script = try CommandRun(["--generate-completion-script", shell]).output
        #expect(script.contains("compact"))
        #expect(script.contains("upsert"))
    }
}
