import ArgumentParser
import Strata
import StrataStoreTool

struct Resolve: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Ends saves over several stores that were interrupted, and keep a store from being opened.",
        discussion:
            "Without --apply or --forget it reports whether there are any, and changes nothing. No file is destroyed: it is set aside.")

    @OptionGroup var store: StoreArguments
    @Flag(help: "Applies the missing changes to the store.") var apply = false
    @Flag(help: "Leaves the store as it is.") var forget = false
    @OptionGroup var result: ResultArguments

    func validate() throws {
        if apply, forget { throw ArgumentParser.ValidationError("--apply and --forget exclude each other.") }
    }

    func run() throws {
        var description = try store.description()
        guard apply || forget else {
            _ = try store.open()
            return try result.print("The store opens; nothing is to be resolved.", ["resolved": .array([])])
        }
        description.isReadOnly = false
        let saves = try PersistentStoreCoordinator(model: store.model(of: description)).resolveInterruptedSaves(
            of: description, by: apply ? .apply : .forget)
        if result.json {
            let all = saves.map { JSON.object(["id": .string("\($0.id)"), "setAsidePath": JSON($0.setAsidePath)]) }
            return try result.print("", ["resolved": .array(all), "resolution": .string(apply ? "apply" : "forget")])
        }
        for save in saves {
            try Console.print("\(save.id) \(apply ? "applied" : "forgotten")\(save.setAsidePath.map { ", its file is now \($0)" } ?? "")")
        }
        if saves.isEmpty { try Console.print("Nothing was to be resolved.") }
    }
}
