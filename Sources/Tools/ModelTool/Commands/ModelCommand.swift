public import ArgumentParser

/// The commands on models: `strata model`, and the tool that plugins run.
public struct ModelCommand: ParsableCommand {
    /// Its name, texts and subcommands.
    public static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Swift classes of models, pictures of them, and their differences.",
        discussion: "A model is a file of Xcode: .xcdatamodeld, .xcdatamodel, or, but for classes, .momd and .mom.",
        subcommands: [Generate.self, Print.self, Draw.self, Difference.self])

    /// Creates the command, as the parser does.
    public init() {}
}
