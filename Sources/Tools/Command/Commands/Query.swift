import ArgumentParser
import Strata
import StrataStoreTool

struct Query: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Finds objects, or computes values and groups.",
        discussion: """
            A query is an entity and clauses in this order: select, where, group, having, sort, limit, offset. Conditions and \
            expressions are those of the predicate format language; a property with the name of a clause takes a #. Without sort the results \
            are in the order of their IDs, and memory does not grow with their number.

              strata query shop.sqlite 'Order where total > 100 and customer.name beginswith "A" sort total desc limit 10'
              strata query shop.sqlite 'Order select number, total * 2 as doubled'
              strata query shop.sqlite 'Order select customer.city, sum:(total) as sales group customer.city having sales > 1000 sort sales desc'
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The query.") var query: String
    @Option(help: "The form of the results.") var format = ResultFormat.table
    @Flag(help: "Prints an object of JSON in each line, as --format jsonl does.") var json = false
    @Flag(help: "Prints comma-separated values, as --format csv does.") var csv = false
    @Flag(help: "Shows what ran where, with the SQL, instead of the results.") var explain = false

    func validate() throws {
        if json, csv { throw ArgumentParser.ValidationError("--json and --csv exclude each other.") }
    }

    func run() throws {
        let query = try QueryText(query)
        let opened = try store.open()
        if explain {
            let explanation = try opened.read { context in try context.explain(try query.request(in: context)) }
            try Console.print("\(explanation)")
            for warning in explanation.warnings { try Console.print("warning: \(warning)") }
            return
        }
        try opened.read { context in
            var writer = ResultWriter(json ? .jsonl : csv ? .csv : format, write: Console.write)
            try ResultColumns.forEachResult(of: query, in: context, withIDs: true) {
                try writer.begin($0)
            } row: {
                try writer.add($0)
            }
            try writer.end()
        }
    }
}
