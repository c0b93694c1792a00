import ArgumentParser

@main struct StrataModelTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strata-model",
        abstract: "Swift classes of models, pictures of them, and their differences.",
        discussion: "A model is a file of Xcode: .xcdatamodeld, .xcdatamodel, or, but for classes, .momd and .mom.",
        subcommands: [Generate.self, Print.self, Draw.self, Difference.self]
    )
}
