import FoundationEssentials
import Strata
import StrataInMemory
import StrataTestSupport
import Testing

@Suite("The guide to the tools for models") struct ModelToolsGuideTests {
    @Test("Its examples are the code below") func text() throws {
        #expect(try PageExamples.ofGuide("ModelTools") == (3, []))
    }

    @Test("Its examples run") func run() throws {
        let model = try ZooModel.model()
        let context = ManagedObjectContext(try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)]).coordinator)
        let bird = Bird(context: context)
        (bird.name, bird.weight) = ("Ada", 200)
        try context.save()

        let animals = try context.fetch(ObjectFetchRequest<Animal>(entityName: "Animal", sort: [Animal.name.ascending]))
        let heavy = try context.fetch(try Animal.heavierThan(START: "A", WEIGHT: 100, in: context.model))
        #expect(animals == [bird])
        #expect(heavy == [bird])
        #expect(
            try withTransformers().entity(named: "Animal")?.attribute(named: "colour")?.declaration.transformer?.name == "ColourTransformer"
        )
    }

    private func withTransformers() throws -> ManagedObjectModel {
        let colours = ValueTransformer(name: "ColourTransformer", Colour.self) { colour in
            FoundationEssentials.Data([colour.red, colour.green])
        } decode: { bytes in
            Colour(red: bytes.first ?? 0, green: bytes.last ?? 0)
        }
        let model = try ZooModel.model(transformers: { name in name == "ColourTransformer" ? colours : nil })
        return model
    }
}
