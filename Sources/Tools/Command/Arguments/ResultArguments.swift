import ArgumentParser
import StrataStoreTool

/// The form in which a command prints its result.
struct ResultArguments: ParsableArguments {
    @Flag(help: "Prints JSON.") var json = false

    /// Prints a line for a person, or an object of JSON in a line.
    func print(_ text: String, _ members: [String: JSON]) throws { try Console.print(json ? JSON.object(members).line : text) }
}
