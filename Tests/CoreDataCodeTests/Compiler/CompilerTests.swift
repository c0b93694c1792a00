import Testing

@testable import StrataCoreDataCode

@Suite("The compiler and the generated code", .enabled(if: Compiler.path != nil, "there is no swiftc to compare with"))
struct CompilerTests {
    private let shop = SourceModule(name: "Shop", files: [SourceFile(path: "Shop.swift", text: Programs.shop)])
    private let app = SourceModule(name: "app", files: [SourceFile(path: "Kitten.swift", text: Programs.kitten)])

    /// Compiles the stand-in for CoreData.
    private func compiler(_ options: [String]) throws -> Compiler {
        let compiler = try Compiler()
        try compiler.write(StandIn.source, to: "CoreData.swift")
        try compiler.compile(
            options + ["-parse-as-library", "-wmo", "-module-name", "CoreData", "-emit-module", "-c", "CoreData.swift", "-o", "CoreData.o"])
        try compiler.write(Programs.shop, to: "Shop.swift")
        try compiler.write(Programs.kitten, to: "Kitten.swift")
        try compiler.write(Programs.main, to: "main.swift")
        return compiler
    }

    @Test("The symbols are those that the compiler asks for") func symbols() throws {
        let compiler = try compiler(["-Onone"])
        let (shopCode, appCode) = (try CoreDataCode(of: shop), try CoreDataCode(of: app, dependencies: [shop]))
        try compiler.compile([
            "-parse-as-library", "-wmo", "-module-name", "Shop", "-emit-module", "-emit-ir", "Shop.swift", "-o", "Shop.ll",
        ])
        #expect(try compiler.undefinedSymbols("Shop.ll", containing: ["$s4Shop"]).symmetricDifference(shopCode.symbols) == [])
        try compiler.compile(["-wmo", "-module-name", "app", "-emit-ir", "Kitten.swift", "main.swift", "-o", "app.ll"])
        #expect(try compiler.undefinedSymbols("app.ll", containing: ["$s3app", "C3appE"]).symmetricDifference(appCode.symbols) == [])
    }

    @Test("A program with the generated code gets and sets values of every type", arguments: [["5", "-Onone"], ["6", "-O"]])
    func program(options: [String]) throws {
        let options = ["-swift-version", options[0], options[1], "-wmo"]
        let compiler = try compiler(["-Onone"])
        try compiler.write(CoreDataCode(of: shop).text, to: "Shop+CoreData.swift")
        let parts = try CoreDataCode(of: app, dependencies: [shop], parts: 3).files
        let names = parts.indices.map { "app+CoreData\($0).swift" }
        for (text, name) in zip(parts, names) { try compiler.write(text, to: name) }
        let library = [
            "-parse-as-library", "-module-name", "Shop", "-emit-module", "-c", "Shop.swift", "Shop+CoreData.swift", "-o", "Shop.o",
        ]
        #expect(try compiler.compile(options + library) == "")
        let program = ["-module-name", "app", "Kitten.swift", "main.swift"] + names + ["Shop.o", "CoreData.o", "-o", "app"]
        #expect(try compiler.compile(options + program) == "")
        #expect(try compiler.run(compiler.file("app")) == "all right\n")
    }

    @Test("Classes of a model compile, with those that are written by hand") func classes() throws {
        let compiler = try compiler(["-Onone"])
        let model = try Samples.model(
            """
            <entity name="Person" representedClassName="Person" codeGenerationType="class">
                <attribute name="age" attributeType="Integer 16" usesScalarValueType="YES"/>
                <attribute name="class" attributeType="String"/>
                <attribute name="id" attributeType="UUID"/>
                <attribute name="tags" attributeType="Transformable" customClassName="[String]"/>
                <relationship name="pets" optional="YES" toMany="YES" destinationEntity="Pet" inverseName="owner" inverseEntity="Pet"/>
                <relationship name="toys" optional="YES" toMany="YES" ordered="YES" destinationEntity="Pet"/>
            </entity>
            <entity name="Student" representedClassName="Student" parentEntity="Person" codeGenerationType="class"/>
            <entity name="Pet" representedClassName="Pet" codeGenerationType="category">
                <relationship name="owner" maxCount="1" destinationEntity="Person" inverseName="pets" inverseEntity="Person"/>
            </entity>
            """)
        let text = """
            import CoreData
            public class Pet: NSManagedObject { @NSManaged var friend: Student? }
            func use(_ student: Student, _ pet: Pet) {
                student.age = 3
                student.addToPets(pet)
                student.insertIntoToys(pet, at: 0)
                pet.owner = pet.friend
                let (people, students): (NSFetchRequest<Person>, NSFetchRequest<Student>) = (Person.fetchRequest(), Student.fetchRequest())
                print(people.name, students.name, student.id as Any)
            }
            """
        try compiler.write(text, to: "Zoo.swift")
        try compiler.write(CoreDataCode(of: Samples.module("Zoo", text), models: [model]).text, to: "Zoo+CoreData.swift")
        for version in ["5", "6"] {
            let options = ["-swift-version", version, "-parse-as-library", "-wmo", "-module-name", "Zoo"]
            #expect(try compiler.compile(options + ["-c", "Zoo.swift", "Zoo+CoreData.swift", "-o", "Zoo.o"]) == "")
        }
    }

    /// Generic types with arguments.
    private static let generic: [String: String] = [
        "AnyBidirectionalCollection": "<Int>", "AnyCollection": "<Int>", "AnyIterator": "<Int>", "AnyRandomAccessCollection": "<Int>",
        "AnySequence": "<Int>", "Array": "<Int>", "ArraySlice": "<Int>", "AsyncStream": "<Int>", "ClosedRange": "<Int>",
        "CollectionDifference": "<Int>", "ContiguousArray": "<Int>", "Dictionary": "<Int, Int>", "KeyPath": "<Int, Int>",
        "KeyValuePairs": "<Int, Int>", "Measurement": "<UnitLength>", "MemoryLayout": "<Int>", "NSCache": "<NSString, NSURL>",
        "Optional": "<Int>", "PartialKeyPath": "<Int>", "PartialRangeFrom": "<Int>", "PartialRangeThrough": "<Int>",
        "PartialRangeUpTo": "<Int>",
        "Range": "<Int>", "RangeSet": "<Int>", "ReferenceWritableKeyPath": "<NSURL, Int>", "Result": "<Int, any Error>", "Set": "<Int>",
        "Task": "<Int, Never>", "WritableKeyPath": "<Int, Int>",
    ]

    @Test("The types of Swift and Foundation are of the modules that the compiler finds them in") func libraryTypes() throws {
        let compiler = try compiler(["-Onone"])
        let marks: Set<String> = ["BitwiseCopyable", "Copyable", "Escapable"]
        var text = "import CoreData\nclass Person: NSManagedObject {\n"
        let types = LibraryTypes.all.filter { $0.value.module != "CoreData" && !marks.contains($0.key) }
        for (index, (path, name)) in types.sorted(by: { $0.key < $1.key }).enumerated() {
            let type = name.kind == .protocol ? "(any \(path))" : path + (CompilerTests.generic[path] ?? "")
            text += "    @NSManaged var property\(index): \(type)?\n"
        }
        text += "}\n"
        try compiler.write(text, to: "Person.swift")
        try compiler.compile(["-parse-as-library", "-wmo", "-module-name", "app", "-emit-ir", "Person.swift", "-o", "app.ll"])
        let code = try Samples.code(text)
        #expect(code.warnings.isEmpty)
        #expect(try compiler.undefinedSymbols("app.ll", containing: ["$s3app"]).symmetricDifference(code.symbols) == [])
    }
}
