import ArgumentParser
import Strata
import StrataPlatform
import StrataStoreTool
import Synchronization

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Inserts the rows of a file of CSV or JSON Lines into a store.",
        discussion: """
            A column is named after the property that it sets: an attribute; a to-one relationship, by URI; or `company.name`, \
            the destination by an attribute that identifies it. --map gives a column another property, or none. Rows are imported in transactions of \
            \(RowImporter.chunkSize); an interrupt ends the import with the rows that it has read, and prints how many were imported.

              strata import shop.sqlite Order orders.csv --map "Order no=number" --map "Comment=" --upsert --rejected rejected.csv
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The entity.") var entity: String
    @Argument(help: "The file, or - for the standard input.", completion: .file()) var file: String
    @Option(help: "The form: csv or jsonl; by default the file's ending.") var format: ResultFormat?
    @Option(name: .customLong("map"), help: ArgumentHelp("The property of a column, column=property.", valueName: "column=property"))
    var maps: [String] = []
    @Flag(help: "Changes an object with the same unique values, instead of refusing the row.") var upsert = false
    @Flag(help: "Passes over a row whose unique values an object has.") var skipExisting = false
    @Option(
        help: "A file for refused rows, as JSON Lines with their reasons; without it the first one ends the import.", completion: .file())
    var rejected: String?
    @OptionGroup var result: ResultArguments

    func validate() throws {
        if upsert, skipExisting { throw ArgumentParser.ValidationError("--upsert and --skip-existing exclude each other.") }
        if let wrong = maps.first(where: { !$0.contains("=") }) { throw ArgumentParser.ValidationError("--map \(wrong) has no =.") }
    }

    func run() throws {
        var source = try ImportSource(
            path: file, isCSV: format.map { $0 == .csv } ?? !(file.hasSuffix(".jsonl") || file.hasSuffix(".ndjson")))
        let opened = try store.open(isReadOnly: false)
        guard let description = opened.model.entity(named: entity) else { throw CommandFailure(.data, "the model has no entity \(entity)") }
        let refused = try rejected.map { try OutputFile($0, replaces: nil) }
        ImportInterrupt.handle()
        var refusedCount = 0
        var importer = RowImporter(
            opened.coordinator, into: description, paths: paths,
            policy: upsert ? .mergeByPropertyObjectTrump : skipExisting ? .mergeByPropertyStoreTrump : .error,
            isAllOrNothing: refused == nil
        ) { row, reason in
            guard let refused else { throw CommandFailure(.data, "\(file):\(row.line): \(reason)") }
            refusedCount += 1
            let members: [String: JSON] = ["line": .int(Int64(row.line)), "reason": .string(reason), "row": row.json]
            try refused.write(Array((JSON.object(members).line + "\n").utf8))
        }
        func next() throws -> ImportRow? { do { return try source.next() } catch is ImportInterrupt.Read { return nil } }
        do {
            if let names = source.names { try importer.require(names) }
            while ImportInterrupt.status == nil, let row = try next() {
                if try importer.add(row) { Console.progress("\(importer.imported) imported") }
            }
            try importer.flush()
        } catch {
            Console.endProgress()
            let isKept = refusedCount > 0 && (try? refused?.finish()) != nil
            Console.note(
                "\(importer.imported) rows were imported before this\(isKept ? ", \(refusedCount) refused, see \(rejected ?? "")" : "")")
            throw error
        }
        Console.endProgress()
        if refusedCount > 0 { try refused?.finish() }
        try result.print(
            "imported \(importer.imported) rows\(refusedCount > 0 ? ", refused \(refusedCount), see \(rejected ?? "")" : "")",
            [
                "imported": .int(Int64(importer.imported)), "refused": .int(Int64(refusedCount)),
                "rejected": JSON(refusedCount > 0 ? rejected : nil),
            ])
        if let status = ImportInterrupt.status {
            throw CommandFailure(status, "the import was interrupted: the rest of \(file) was not read")
        }
        if refusedCount > 0 { throw ExitCode(ExitStatus.difference.rawValue) }
    }

    /// The properties of columns by their names.
    private var paths: [String: String] {
        Dictionary(
            maps.map { map in
                let sign = map.firstIndex(of: "=") ?? map.endIndex
                return (String(map[..<sign]), String(map[sign...].dropFirst()))
            }, uniquingKeysWith: { $1 })
    }
}
