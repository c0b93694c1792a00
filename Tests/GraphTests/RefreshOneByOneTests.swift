import Strata
import Testing

@testable import StrataGraph

// Each object searched all changed ones for those that concern it: discarding the changes of n objects one by one took
// n squared steps. The index that finds them must find all.
@Suite("Changes that are discarded one by one")
struct RefreshOneByOneTests {
    private let context: ManagedObjectContext
    private let owners: [Person]
    private let pets: [Pet]

    init() throws {
        let context = try Zoo.context()
        self.context = context
        owners = [context.person("Ada"), context.person("Bob")]
        pets = (0..<40).map { _ in context.insert(Pet.self) }
        for (index, pet) in pets.enumerated() { pet[Pet.owner] = owners[index % 2] }
        try context.save()
    }

    private func expectUnchanged() throws {
        #expect(owners[0][Person.pets].count == 20)
        #expect(owners[1][Person.pets].count == 20)
        for (index, pet) in pets.enumerated() { #expect(pet[Pet.owner] === owners[index % 2]) }
        #expect(!context.tracker.changed.contains { $0.hasPersistentChangedValues })
    }

    @Test("Members that moved return to their owners", arguments: [true, false])
    func moved(isLoaded: Bool) throws {
        if isLoaded { for owner in owners { _ = owner[Person.pets] } }
        for (index, pet) in pets.enumerated() { pet[Pet.owner] = owners[1 - index % 2] }
        for pet in pets { context.refresh(pet, mergeChanges: false) }
        #expect(context.tracker.list.indexes.referrers != nil)
        try expectUnchanged()
    }

    @Test("Deleted members return to their owners, also while others are changed", arguments: [true, false])
    func deleted(isLoaded: Bool) throws {
        if isLoaded { for owner in owners { _ = owner[Person.pets] } }
        for pet in pets { context.delete(pet) }
        try context.processPendingChanges()
        for pet in pets.prefix(20) { context.refresh(pet, mergeChanges: false) }
        #expect(context.tracker.list.indexes.referrers != nil)
        // With the index, others leave and return.
        for pet in pets.prefix(10) { pet[Pet.owner] = nil }
        for pet in pets.prefix(5) { context.delete(pet) }
        try context.processPendingChanges()
        for pet in pets.prefix(10) + pets.dropFirst(20) { context.refresh(pet, mergeChanges: false) }
        for owner in owners { context.refresh(owner, mergeChanges: false) }
        try expectUnchanged()
    }

    // The row was dropped after discarding the references had read it: the object was no fault, and had no values.
    @Test("A refreshed object whose deletion is discarded has its values")
    func values() throws {
        pets[0][Pet.name] = "Rex"
        try context.save()
        context.delete(pets[0])
        try context.processPendingChanges()
        context.refresh(pets[0], mergeChanges: false)
        #expect(pets[0][Pet.name] == "Rex")
        #expect(pets[0][Pet.owner] === owners[0])
    }

    @Test("Owners whose deletion is discarded have their members again")
    func deletedOwners() throws {
        for owner in owners { context.delete(owner) }
        try context.processPendingChanges()
        #expect(pets.allSatisfy { $0.isDeleted || $0[Pet.owner] == nil })
        for pet in pets where pet.isDeleted { context.refresh(pet, mergeChanges: false) }
        for owner in owners { context.refresh(owner, mergeChanges: false) }
        for pet in pets { context.refresh(pet, mergeChanges: false) }
        for owner in owners { context.refresh(owner, mergeChanges: false) }
        try expectUnchanged()
    }
}
