import ArgumentParser
import Strata
import StrataStoreTool

struct Count: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Counts objects: strata count shop.sqlite \"Order where total > 100\".")

    @OptionGroup var store: StoreArguments
    @Argument(help: "The entity, and the condition behind `where`.") var query: String
    @Flag(help: "Prints JSON.") var json = false

    func run() throws {
        let query = try QueryText(query)
        let count = try store.open().read { context in
            query.selects
                ? try context.fetchDictionaries(try query.request(in: context)).count
                : try context.count(for: try query.request(in: context))
        }
        try Console.print(json ? JSON.object(["count": .int(Int64(count))]).line : String(count))
    }
}
