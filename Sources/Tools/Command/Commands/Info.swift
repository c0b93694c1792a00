import ArgumentParser
import Foundation
import Strata
import StrataStoreTool

struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tells what a store is: kind, model, entities with their counts, size, history.",
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
        for (name, value) in facts.lines { try Console.print(name.padding(toLength: 10, withPad: " ", startingAt: 0) + value) }
        try Console.print("")
        var table = TextTable(["entity", "objects"], numbers: [1])
        for entity in facts.entities { table.add([entity.name, entity.count.map(String.init) ?? ""]) }
        for line in table.lines { try Console.print(line) }
    }
}
