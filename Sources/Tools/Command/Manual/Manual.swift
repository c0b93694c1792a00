import ArgumentParser
import FoundationEssentials
import StrataStoreTool

/// Prints the manual page, which is made of the commands themselves.
struct Manual: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual", abstract: "Prints the manual page: strata manual > strata.1.", shouldDisplay: false)

    func run() throws { try Console.print(ManualPage().text) }
}

/// The manual page of all commands, in the macros of man(7).
struct ManualPage {
    /// A command as the parser describes it.
    private struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                let kind: String
                let name: String
            }
            let kind: String
            let abstract: String?
            let valueName: String?
            let names: [Name]?
            let allValues: [String]?
            let defaultValue: String?
            let isOptional: Bool
            let isRepeating: Bool
            let shouldDisplay: Bool
        }
        let commandName: String
        let abstract: String?
        let discussion: String?
        let shouldDisplay: Bool?
        let arguments: [Argument]?
        let subcommands: [Command]?
    }

    private struct Tool: Decodable {
        let command: Command
    }

    private var roff = RoffText()

    /// - Throws: `DecodingError` where the parser describes commands in another form.
    init() throws {
        let root = try JSONDecoder().decode(Tool.self, from: Data(StrataCommand._dumpHelp().utf8)).command
        let version = StrataCommand.configuration.version
        roff.macro(".TH STRATA 1 \"\" \"strata \(version)\" \"User Commands\"")
        roff.section("NAME")
        roff.line("strata - \(ManualPage.phrase(root.abstract ?? ""))")
        roff.section("SYNOPSIS")
        roff.macro(".B strata\n.I command\n[\n.I options\n]\n.I arguments")
        roff.section("DESCRIPTION")
        roff.paragraphs(StrataCommand.introduction)
        roff.section("STORE OPTIONS")
        roff.paragraphs("All commands that take a store have these.")
        let common = (root.subcommands ?? []).first { $0.commandName == "info" }?.arguments ?? []
        for argument in common where ManualPage.isCommon(argument) { add(argument) }
        roff.section("COMMANDS")
        for command in root.subcommands ?? [] { add(command, ["strata"]) }
        roff.section("EXIT STATUS")
        for status in ExitStatus.allCases { roff.item(String(status.rawValue), status.meaning) }
        for (title, text) in ManualTopics.all {
            roff.section(title)
            roff.paragraphs(text)
        }
    }

    /// The text of the page.
    var text: String { roff.text }

    private mutating func add(_ command: Command, _ parents: [String]) {
        guard command.shouldDisplay ?? true, command.commandName != "help" else { return }
        let names = parents + [command.commandName]
        roff.subsection(names.joined(separator: " "))
        let arguments = (command.arguments ?? []).filter { argument in
            argument.shouldDisplay && !(argument.names ?? []).contains { ["help", "version"].contains($0.name) }
                && !ManualPage.isCommon(argument)
        }
        if command.subcommands?.isEmpty ?? true {
            roff.synopsis(names, arguments.map { (ManualPage.form(of: $0), $0.isOptional, $0.isRepeating) })
        }
        roff.paragraphs(command.abstract ?? "")
        roff.paragraphs(command.discussion ?? "")
        for argument in arguments { add(argument) }
        for subcommand in command.subcommands ?? [] { add(subcommand, names) }
    }

    private mutating func add(_ argument: Command.Argument) {
        var text = argument.abstract ?? ""
        if let values = argument.allValues { text += " One of \(values.joined(separator: ", "))." }
        if let value = argument.defaultValue, argument.kind != "flag" { text += " The default is \(value)." }
        roff.item(ManualPage.form(of: argument), text)
    }

    /// Whether an argument is an option of all stores.
    private static func isCommon(_ argument: Command.Argument) -> Bool {
        (argument.names ?? []).contains { ["kind", "schema", "model", "model-version"].contains($0.name) }
    }

    private static func form(of argument: Command.Argument) -> String {
        let value = "<\(argument.valueName ?? "value")>"
        let names = (argument.names ?? []).map { ($0.kind == "short" ? "-" : "--") + $0.name }
        if names.isEmpty { return value }
        return names.joined(separator: ", ") + (argument.kind == "flag" ? "" : " \(value)")
    }

    /// An abstract as the phrase behind a name.
    private static func phrase(_ text: String) -> String {
        text.prefix(1).lowercased() + (text.hasSuffix(".") ? text.dropFirst().dropLast() : text.dropFirst())
    }
}

/// Text in the macros of man(7).
struct RoffText {
    private(set) var text = ""
    /// Whether a section has just begun.
    private var isAtBeginning = false

    mutating func macro(_ line: String) {
        text += line + "\n"
        isAtBeginning = line.hasPrefix(".S")
    }

    /// Begins a paragraph, unless the text is at the beginning of a section.
    private mutating func separate() {
        if !isAtBeginning { macro(".PP") }
    }

    mutating func section(_ title: String) { macro(".SH \(title)") }

    mutating func subsection(_ title: String) { macro(".SS \(RoffText.escaped(title))") }

    /// Adds a line of text.
    mutating func line(_ line: String) { macro(RoffText.escaped(line)) }

    /// Adds paragraphs; lines that begin with white space are printed as they are.
    mutating func paragraphs(_ paragraphs: String) {
        if paragraphs.isEmpty { return }
        separate()
        var isLiteral = false
        for line in paragraphs.split(separator: "\n", omittingEmptySubsequences: false) {
            let wasLiteral = isLiteral
            if !line.isEmpty { isLiteral = line.hasPrefix(" ") }
            if isLiteral != wasLiteral { macro(isLiteral ? ".nf" : ".fi") }
            if line.isEmpty { macro(".PP") } else { self.line(String(line)) }
        }
        if isLiteral { macro(".fi") }
    }

    /// Adds a term and its explanation.
    mutating func item(_ term: String, _ explanation: String) {
        macro(".TP\n.B \(RoffText.escaped(term))")
        line(explanation)
    }

    /// Adds a command with its arguments, the optional ones in brackets.
    mutating func synopsis(_ names: [String], _ arguments: [(form: String, isOptional: Bool, isRepeating: Bool)]) {
        separate()
        macro(".nf")
        var lines = [names.joined(separator: " ")]
        for (form, isOptional, isRepeating) in arguments {
            let word = (isOptional ? "[\(form)]" : form) + (isRepeating ? " ..." : "")
            if lines[lines.count - 1].count + word.count > 74 { lines.append("   ") }
            lines[lines.count - 1] += " " + word
        }
        for line in lines { self.line(line) }
        macro(".fi")
    }

    private static func escaped(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("'", with: "\\(aq").replacing(
            "`", with: "\\(ga"
        )
        .replacing("^", with: "\\(ha").replacing("~", with: "\\(ti")
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }
}
