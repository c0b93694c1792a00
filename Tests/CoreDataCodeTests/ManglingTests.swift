import StrataCoreDataCode
import Testing

@Suite("Symbols of managed members") struct ManglingTests {
    @Test(
        "A property's type is mangled as the compiler mangles it",
        arguments: [
            ("Int", "Si"), ("Bool", "Sb"), ("Int16", "s5Int16V"), ("String?", "SSSg"), ("Double??", "SdSgSg"), ("Float!", "SfSg"),
            ("[String]", "SaySSG"), ("[String: Int]?", "SDySSSiGSg"), ("Set<Person>", "ShyACG"), ("Person?", "ACSg"),
            ("Swift.Optional<Person>", "ACSg"), ("Date?", "20FoundationEssentials4DateVSg"),
            ("Foundation.Data", "20FoundationEssentials4DataV"),
            ("UUID", "20FoundationEssentials4UUIDV"), ("URL", "20FoundationEssentials3URLV"),
            ("Decimal", "20FoundationEssentials7DecimalV"),
            ("NSDecimalNumber?", "10Foundation15NSDecimalNumberCSg"), ("NSSet?", "10Foundation5NSSetCSg"),
            ("NSOrderedSet", "10Foundation12NSOrderedSetC"), ("NSNumber", "10Foundation8NSNumberC"), ("IndexSet", "10Foundation8IndexSetV"),
            ("NSObject?", "10Foundation8NSObjectCSg"), ("TimeInterval", "Sd"), ("NSRange", "10Foundation8_NSRangeV"),
            ("NSManagedObject?", "8CoreData15NSManagedObjectCSg"), ("Any", "yp"), ("AnyObject?", "yXlSg"), ("AnyClass", "yXlXp"),
            ("Void", "yt"),
            ("(any Error)?", "s5Error_pSg"), ("Codable", "Se_SEp"), ("(b: Int, String)", "Si1b_SSt"), ("(Int, Int, Int)", "Si_S2it"),
            ("(() -> Void)?", "yycSg"), ("(Int, Date) throws -> Int", "yS2i_20FoundationEssentials4DateVtKc"),
            ("(@Sendable (Person) -> Void)?", "yACYbcSg"), ("(@MainActor () -> Void)?", "yyScMYccSg"), ("Person.Type", "ACm"),
            ("any Error.Type", "s5Error_pXp"), ("AnyClass.Type", "yXlXpXp"), ("(any Error).Type", "s5Error_pm"),
            ("Range<Date>", "Sny20FoundationEssentials4DateVG"),
            ("Calendar.Component", "20FoundationEssentials8CalendarV9ComponentO"),
        ])
    func types(type: String, mangled: String) throws {
        #expect(try Samples.mangled(type) == mangled)
    }

    @Test("Types of the module are mangled by what they are and what they are in")
    func ownTypes() throws {
        #expect(try Samples.mangled("Kind", "enum Kind: Int16 { case a }") == "AA4KindO")
        #expect(try Samples.mangled("Box<Int>.In", "struct Box<T> { struct In {} }") == "AA3BoxV2InVySi_G")
        #expect(try Samples.mangled("Mood", "extension Person { enum Mood {} }") == "AC4MoodO")
        #expect(try Samples.mangled("Names?", "typealias Names = List<String>\ntypealias List<T> = [T]") == "SaySSGSg")
        #expect(try Samples.mangled("any Tagged", "protocol Tagged: AnyObject {}") == "AA6Tagged_p")
        #expect(try Samples.mangled("Other & Tagged & Sendable", "protocol Tagged {}\nprotocol Other: Tagged {}") == "s8Sendable_AA5Otherp")
        #expect(try Samples.mangled("(Base & Tagged)?", "class Base {}\nprotocol Tagged {}") == "AA6Tagged_AA4BaseCXcSg")
        #expect(try Samples.mangled("app.Actor", "actor Actor {}") == "AA5ActorC")
    }

    @Test("A name of a type means the nearest one: in the class, in a class that it inherits, in the module, in an imported one")
    func lookup() throws {
        let symbols = try Samples.symbols(
            """
            import CoreData
            import Zoo
            struct Tag {}
            class Animal: NSManagedObject { enum Tag {} }
            class Dog: Animal { @NSManaged var a: Tag; @NSManaged var b: app.Tag; @NSManaged var c: Cage; @NSManaged var d: Zoo.Tag }
            """, dependencies: [("Zoo", "public class Cage {}\npublic struct Tag {}\nstruct Hidden {}")])
        #expect(
            symbols.filter { $0.hasSuffix("vg") } == [
                "$s3app3DogC1aAA6AnimalC3TagOvg", "$s3app3DogC1bAA3TagVvg", "$s3app3DogC1c3Zoo4CageCvg", "$s3app3DogC1d3Zoo3TagVvg",
            ])
    }

    @Test("Members of an extension of a class of another module name both modules") func extensions() throws {
        let symbols = try Samples.symbols(
            """
            import Zoo
            extension Animal { enum Mark {}; @NSManaged var mark: Mark?; @NSManaged func addToYoung(_ value: Animal) }
            """, dependencies: [("Zoo", "import CoreData\nopen class Animal: NSManagedObject {}")])
        #expect(
            symbols == [
                "$s3Zoo6AnimalC3appE4markAcDE4MarkOSgvg", "$s3Zoo6AnimalC3appE4markAcDE4MarkOSgvs", "$s3Zoo6AnimalC3appE10addToYoungyyACF",
            ])
    }

    @Test("Words that a symbol has already are referred to") func words() throws {
        let symbols = try Samples.symbols(
            "class KittenShelter: NSManagedObject { @NSManaged var shelterKittenShelter: KittenShelter; @NSManaged var url2URL: URL }")
        #expect(
            symbols.filter { $0.hasSuffix("vg") } == [
                "$s3app13KittenShelterC07shelterbC0ACvg", "$s3app13KittenShelterC7url2URL20FoundationEssentials0E0Vvg",
            ])
    }

    @Test("Names beyond ASCII, and those between backticks, are encoded") func otherNames() throws {
        let symbols = try Samples.symbols(
            "class Person: NSManagedObject { @NSManaged var größe: Int; @NSManaged var `class`: Int; @NSManaged var `a b-c`: Date }")
        #expect(
            symbols.filter { $0.hasSuffix("vg") } == [
                "$s3app6PersonC009gre_GkaIiSivg", "$s3app6PersonC5classSivg",
                "$s3app6PersonC0016abc_ydaACAHywiaf20FoundationEssentials4DateVvg",
            ])
    }

    @Test("Private members are distinguished by their file") func discriminators() throws {
        let file = SourceFile(
            path: "Sources/My File.swift",
            text: "class Person: NSManagedObject { @NSManaged private var priv: Int; @NSManaged public private(set) var open: Int }")
        let code = try CoreDataCode(of: SourceModule(name: "app", files: [file]))
        #expect(
            code.symbols == [
                "$s3app6PersonC4priv33_E343698737AE256594B02CD0ED0D95B4LLSivg",
                "$s3app6PersonC4priv33_E343698737AE256594B02CD0ED0D95B4LLSivs",
                "$s3app6PersonC4openSivg", "$s3app6PersonC4openSivs",
            ])
    }

    @Test("The functions of relationships are mangled with their labels") func functions() throws {
        let symbols = try Samples.symbols(
            """
            class Person: NSManagedObject {
                @NSManaged func addToPets(_ value: Person)
                @NSManaged func addToPets(_ values: NSSet)
                @NSManaged func insertIntoPets(_ value: Person, at idx: Int)
                @NSManaged func removeFromPets(at idx: Int)
                @NSManaged func insertIntoPets(_ values: [Person], at indexes: NSIndexSet)
                @NSManaged func replacePets(at idx: Int, with value: Person)
            }
            """)
        #expect(
            symbols == [
                "$s3app6PersonC9addToPetsyyACF", "$s3app6PersonC9addToPetsyy10Foundation5NSSetCF",
                "$s3app6PersonC14insertIntoPets_2atyAC_SitF", "$s3app6PersonC14removeFromPets2atySi_tF",
                "$s3app6PersonC14insertIntoPets_2atySayACG_10Foundation10NSIndexSetCtF", "$s3app6PersonC11replacePets2at4withySi_ACtF",
            ])
    }
}
