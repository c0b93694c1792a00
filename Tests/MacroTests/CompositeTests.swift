#if Macros
    public import Strata
    import StrataSQLite
    import StrataTestSupport
    import Testing

    @Composite public struct Measure {
        public var amount = 0.0
        public var unit: String?
    }

    @Composite struct Box: Equatable {
        @Attribute(.type(.integer16), .validation(.range(1...99))) var width: Int?
        @Attribute(originalName: "tall") var height: Int?
        var shape: BoxShape = .flat
        var label: String? = "none"
        static let standard = Box(width: 1, height: 1)
        var area: Int { (width ?? 0) * (height ?? 0) }
    }

    enum BoxShape: String, ValueConvertible { case flat, tall }

    @Model final class Parcel: ManagedObject {
        #Unique<Parcel>([\.box?.label, \.name])
        #Index<Parcel>([\.box?.width])

        var name: String
        var box: Box?
        var weight: Measure = Measure()

        init(name: String) { self.name = name }
    }

    @Suite("Composite values of Swift structures")
    struct CompositeTests {
        @Test("Each stored property is an element, with what it is marked with")
        func elements() throws {
            #expect(Box.elements.map(\.name) == ["width", "height", "shape", "label"])
            #expect(Box.attributes[0].type == .integer16)
            #expect(Box.attributes[0].validation == [.range(1...99)])
            #expect(Box.attributes[1].renamingIdentifier == "tall")
            #expect(Box.attributes.map(\.isOptional) == [true, true, false, true])
            #expect(Measure(amount: 2, unit: "kg").unit == "kg")
        }

        @Test("Composite properties of a class are kept", arguments: [TestStore.inMemory, .sqlite])
        func storing(_ store: TestStore) throws {
            let directory = try TemporaryDirectory()
            let container = try PersistentContainer(for: Parcel.self, stores: [store.description(in: directory.path)])
            let context = ManagedObjectContext(container.coordinator)
            let parcel = Parcel(name: "a")
            parcel.box = Box(width: 3, height: 4, shape: .tall)
            context.insert(parcel)
            let other = Parcel(name: "b")
            other.weight = Measure(amount: 2.5, unit: "kg")
            context.insert(other)
            try context.save()
            let reader = ManagedObjectContext(container.coordinator)
            let found = try reader.fetch(ObjectFetchRequest<Parcel>(sort: [(\Parcel.name).ascending]))
            #expect(found.map(\.box) == [Box(width: 3, height: 4, shape: .tall), nil])
            #expect(found.map(\.weight.amount) == [0, 2.5])
            #expect(try reader.fetch(ObjectFetchRequest<Parcel>(\Parcel.box?.shape == .tall)).map(\.name) == ["a"])
            #expect(try reader.fetch(ObjectFetchRequest<Parcel>(\Parcel.weight.amount > 2)).map(\.name) == ["b"])
            #expect(try reader.fetch(ObjectFetchRequest<Parcel>(\Parcel.box == nil)).map(\.name) == ["b"])
            #expect(parcel.entity.uniquenessConstraints.map(\.names) == [["box.label", "name"]])
            #expect(parcel.entity.indexes.flatMap(\.elements).map { parcel.entity.properties[$0.property].name } == ["box.width"])
            parcel.box?.width = 200
            #expect(throws: ValidationError.self) { try context.save() }
        }

        @Test("What cannot be an element, or a composite value, is said where it stands")
        func diagnostics() throws {
            #expect(try Diagnosed("@Composite class A {}").messages.first?.hasSuffix("@Composite is for structures") == true)
            #expect(
                try Diagnosed("@Composite struct A { var x: Int }").messages == [
                    "x: an element of a composite value has a default value, or is an optional"
                ])
            #expect(try Diagnosed("@Composite struct A { let x: Int? }").messages.count == 1)
            #expect(try Diagnosed("@Composite struct A { @Attribute(.unique) var x: Int? }").messages.count == 1)
            #expect(try Diagnosed("@Composite struct A { var x: Int?; var y: Int { 1 }; @Transient var z = 1 }").messages == [])
        }
    }
#endif
