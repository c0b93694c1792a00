import ArgumentParser
import StrataModelDrawing

struct Print: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print", abstract: "Prints a model as text: its entities, and a line for each property.")

    @OptionGroup var model: ModelArgument

    func run() throws { print(ModelOutline(try model.managedObjectModel())) }
}
