import Strata
import Testing

@Suite("Compiled conditions")
struct CompiledPredicateTests {
    private let context: ManagedObjectContext

    init() throws { context = try Zoo.context() }

    @Test(
        "A condition gives the same for objects in turn as it does when it is compiled for each, also after changes",
        arguments: [
            "name == 'Rex'", "NOT name == 'Rex'", "name == 'Rex' OR name BEGINSWITH 'A'", "name != nil AND name IN {'Ada', 'Rex'}",
            "TRUEPREDICATE",
            "name ==[c] 'rex' AND 1 + 1 == 2",
        ])
    func several(_ format: String) throws {
        let (ada, bob, rex) = (context.person("Ada"), context.person("Bob"), Pet(context: context))
        rex[Pet.name] = "Rex"
        let predicate = try QueryPredicate(format: format)
        var compiled = CompiledPredicate(predicate)
        func agrees() throws {
            for object in [ada, rex, rex, bob, ada] { #expect(try compiled.evaluate(with: object) == predicate.evaluate(with: object)) }
        }
        try agrees()
        try context.save()
        try agrees()
        (rex[Pet.name], bob[Person.name]) = ("Max", "Rex")
        try agrees()
        #expect(throws: StoreError.self) { _ = try compiled.evaluate(with: Pet(entity: context.entity(named: "Pet"), insertInto: nil)) }
    }

    @Test("A condition that asks for an object finds it before and after its save")
    func objects() throws {
        let (ada, rex) = (context.person("Ada"), Pet(context: context))
        ada[Person.pets] = [rex]
        var compiled = CompiledPredicate(try QueryPredicate(format: "owner == %@", ada))
        #expect(try compiled.evaluate(with: rex))
        try context.save()
        #expect(try compiled.evaluate(with: rex))
        rex[Pet.owner] = nil
        #expect(try !compiled.evaluate(with: rex))
    }
}
