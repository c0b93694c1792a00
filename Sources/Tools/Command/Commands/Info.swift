import ArgumentParser
import Strata
import StrataStoreTool

struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Shows the kind of a store, its model, entities with their counts, size and history.",
        discussion: "A store that keeps no model is described without counts, unless --model names one.")

    @OptionGroup var store: StoreArguments
    @Flag(help: "Prints JSON.") var json = false

    func run() throws {
        let description = try store.description()
        let model =
            try store.options.model == nil
            ? PersistentStoreCoordinator.model(ofStoreAt: description.location, description.driver) : store.model(of: description)
        let facts = try model.map { try StoreFacts(OpenStore(description, model: $0)) } ?? StoreFacts(withoutModel: description)
        if json { return try Console.print(facts.json.lines) }
        for (name, value) in facts.lines { try Console.print(name + String(repeating: " ", count: max(1, 10 - name.count)) + value) }
        try Console.print("")
        var table = TextTable(["entity", "objects"], numbers: [1])
        for entity in facts.entities { table.add([entity.name, entity.count.map(String.init) ?? ""]) }
        for line in table.lines { try Console.print(line) }
    }
}
