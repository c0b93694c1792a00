import Strata

@testable import StrataConformance

/// Child contexts: what they see of their parents, what their saves do there, and what of it reaches the store.
enum NestedContextCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A child's save changes its parent and no store", in: .nesting) { environment in
            let family = try Family(environment)
            let person = Person("p", family.child, age: 7)
            try expect(!family.parent.hasChanges, "what a child has not saved is in its parent")
            try family.child.save()
            try expect(!family.child.hasChanges && family.parent.hasChanges, "the changes are not the parent's")
            try expectEqual(try family.saved(), [])
            let other = try family.parents(person)
            try expect(other.isInserted && other !== person, "the parent has no object of its own that is new")
            try expect(!person.isInserted && person.objectID == other.objectID, "the child's object is still new")
            try expectEqual(other.name, "p")
            try expectEqual(other.age, 7)
            try family.parent.save()
            try expectEqual(try family.saved(), ["p"])
        }
        ConformanceCase("A child sees what its parent has not saved", in: .nesting) { environment in
            let family = try Family(environment)
            let (a, b, c) = (Person("a", family.parent), Person("b", family.parent), Person("c", family.parent))
            try family.parent.save()
            a.name = "A"
            family.parent.delete(b)
            let d = Person("d", family.parent)
            d.boss = a
            c.friends = [a, d]
            try expectEqual(try family.child.names(of: Person.self), ["A", "c", "d"])
            try expectEqual(try family.child.count(for: ObjectFetchRequest<Person>(key("name") == .string("b"))), 0)
            try expectEqual(try family.child.names(of: Person.self, key("boss.name") == .string("A")), ["d"])
            let (childA, childD) = (try family.childs(a), try family.childs(d))
            try expect(childD.boss === childA, "the child's object references another one")
            try expectEqual(try names(try family.childs(c).friends), ["A", "d"])
            try expectEqual(try names(childA.reports), ["d"])
            try expectStoreError(.notFound) { try family.child.existingObject(with: b.objectID) }
            try expect(!childD.isInserted && !family.child.hasChanges, "to read is no change")
        }
        ConformanceCase("What a child throws away was never in its parent", in: .nesting) { environment in
            let family = try Family(environment)
            let person = Person("p", family.parent)
            try family.parent.save()
            try family.childs(person).name = "q"
            _ = Person("new", family.child)
            family.child.delete(try family.child.named("q", Person.self))
            family.child.rollback()
            try expect(!family.parent.hasChanges, "the parent has changes")
            try expectEqual(person.name, "p")
            try expectEqual(try family.child.names(of: Person.self), ["p"])
            try family.child.save()
            try expect(!family.parent.hasChanges, "an empty save is a change")
        }
        ConformanceCase("All kinds of relationships reach the parent", in: .nesting) { environment in
            let family = try Family(environment)
            let old = Company(context: family.parent)
            old.name = "old"
            let (ann, bob) = (Person("ann", family.parent, company: old), Person("bob", family.parent))
            let (d1, d2) = (Department(context: family.parent), Department(context: family.parent))
            (d1.name, d2.name) = ("d1", "d2")
            old.departments = [d1, d2]
            ann.friends = [bob]
            try family.parent.save()

            let new = Company(context: family.child)
            new.name = "new"
            let (childAnn, childBob) = (try family.childs(ann), try family.childs(bob))
            let skill = Skill(context: family.child)
            skill.name = "swift"
            childAnn.company = new
            childBob.company = try family.childs(old)
            childBob.boss = childAnn
            childAnn.friends = []
            childAnn.skills = [skill]
            let d3 = Department(context: family.child)
            d3.name = "d3"
            try family.childs(old).departments = [d3, try family.childs(d2), try family.childs(d1)]
            try family.child.save()

            for context in [family.parent, family.child] {
                let (company, person) = (try context.named("new", Company.self), try context.named("ann", Person.self))
                try expect(person.company === company && company.people == [person], "the to-one relationship has two ends")
                try expectEqual(try names(try context.named("old", Company.self).people), ["bob"])
                try expectEqual(try inOrder(try context.named("old", Company.self).departments), ["d3", "d2", "d1"])
                try expectEqual(try names(person.friends), [])
                try expectEqual(try names(try context.named("bob", Person.self).friends), [])
                try expectEqual(try names(person.skills), ["swift"])
                try expectEqual(try names(person.reports), ["bob"])
            }
            try family.parent.save()
            let reopened = try family.stack.reopened().context()
            try expectEqual(try inOrder(try reopened.named("old", Company.self).departments), ["d3", "d2", "d1"])
            try expectEqual(try names(try reopened.named("new", Company.self).people), ["ann"])
            try expectEqual(try names(try reopened.named("swift", Skill.self).people), ["ann"])
        }
        ConformanceCase("Delete rules are followed in the child, and again in the parent", in: .nesting) { environment in
            let family = try Family(environment)
            let company = Company(context: family.parent)
            company.name = "c"
            let (department, ann) = (Department(context: family.parent), Person("ann", family.parent, company: company))
            company.departments = [department]
            try family.parent.save()
            // Of these the child knows nothing when it deletes.
            try expectEqual(try family.childs(company).departments.count, 1)
            try expectEqual(try family.childs(company).people.count, 1)
            let late = Department(context: family.parent)
            late.company = company
            let bob = Person("bob", family.parent, company: company)
            family.child.delete(try family.childs(company))
            try family.child.save()
            try family.parent.processPendingChanges()
            try expect(department.isDeleted && late.isDeleted && company.isDeleted, "what goes by cascade is still there")
            try expect(ann.company == nil && bob.company == nil, "people are still in a company that is gone")
            try expectEqual(try family.child.names(of: Department.self), [])
            try family.parent.save()
            let context = try family.stack.reopened().context()
            try expectEqual(try context.count(for: ObjectFetchRequest<Department>()), 0)
            try expectEqual(try context.names(of: Person.self), ["ann", "bob"])
        }
        ConformanceCase("New objects have their permanent IDs in all generations after the last save", in: .nesting) { environment in
            let family = try Family(environment)
            let grandchild = family.stack.child(of: family.child)
            let (ann, bob) = (Person("ann", grandchild), Person("bob", grandchild))
            ann.boss = bob
            ann.friends = [bob]
            try grandchild.save()
            try family.child.save()
            let childBob = try family.childs(bob)
            try expect(childBob.objectID.isTemporary && childBob.objectID == bob.objectID, "a save of a child makes no permanent ID")
            try family.parent.save()
            for context in [grandchild, family.child] {
                try expectEqual(try context.names(of: Person.self), ["ann", "bob"])
                let people = try context.fetch(ObjectFetchRequest<Person>())
                try expect(people.allSatisfy { !$0.objectID.isTemporary }, "a child has a temporary ID still")
            }
            try expect(!ann.objectID.isTemporary && ann.objectID == (try family.childs(ann)).objectID, "objects differ in their IDs")
            try expect(try grandchild.named("ann", Person.self) === ann, "there are two objects of one row")
            try expect(ann.boss === bob && bob.reports == [ann] && ann.friends == [bob], "relationships are lost on the way")
            ann.name = "Ann"
            bob.boss = ann
            ann.boss = nil
            try grandchild.save()
            try family.child.save()
            try family.parent.save()
            let context = try family.stack.reopened().context()
            try expectEqual(try context.names(of: Person.self), ["Ann", "bob"])
            try expectEqual(try context.named("bob", Person.self).boss?.name, "Ann")
        }
        ConformanceCase("Permanent IDs can be had before any save", in: .nesting) { environment in
            let family = try Family(environment)
            let (ann, bob) = (Person("ann", family.child), Person("bob", family.parent))
            try family.child.obtainPermanentIDs(for: [ann])
            let id = ann.objectID
            try expect(!id.isTemporary && ann.isInserted, "\(id) is temporary")
            let childBob = try family.childs(bob)
            ann.boss = childBob
            try family.child.obtainPermanentIDs(for: [childBob])
            try expect(!bob.objectID.isTemporary && childBob.objectID == bob.objectID, "the parent's object has another ID")
            try family.child.save()
            try expect(try family.parents(ann).objectID == id, "the ID changed on its way to the parent")
            try family.parent.save()
            let found = try unwrap(try family.stack.context().existingObject(with: id) as? Person)
            try expectEqual(found.boss?.objectID, bob.objectID)
        }
        // The context in between had let go of the object, and the question ended there.
        ConformanceCase("Permanent IDs can be had of objects that are several parents away", in: .nesting) { environment in
            for isSaved in [false, true] {
                let family = try Family(environment, Models.company, "\(isSaved)")
                let grandchild = family.stack.child(of: family.child)
                let person = Person("p", grandchild)
                try grandchild.save()
                try family.child.save()
                if isSaved { try family.parent.save() }
                try grandchild.obtainPermanentIDs(for: [person])
                try expect(!person.objectID.isTemporary, "the ID is temporary, with the parent saved: \(isSaved)")
                try family.parent.save()
                try expectEqual(try family.stack.context().named("p", Person.self).objectID, person.objectID)
                try expect(try family.child.named("p", Person.self).objectID == person.objectID, "the context between has another ID")
            }
        }
        ConformanceCase("Objects made by one child are the other's to find, and the same to all", in: .nesting) { environment in
            let family = try Family(environment)
            let sibling = family.stack.child(of: family.parent)
            let ann = Person("ann", family.child)
            try family.child.save()
            let other = try sibling.named("ann", Person.self)
            try expect(other.objectID == ann.objectID, "siblings differ in the ID")
            let bob = Person("bob", sibling)
            bob.boss = other
            try expectEqual(try names(ann.reports), [])
            try sibling.save()
            try family.parent.save()
            try expectEqual(try names(ann.reports), [])
            family.child.refresh(ann, mergeChanges: false)
            try expectEqual(try names(ann.reports), ["bob"])
            try expect(try sibling.named("ann", Person.self) === other, "there are two objects of one row")
            try expect(bob.boss === other, "the relationship is lost")
        }
        ConformanceCase("Order, limit and offset count what the parent has not saved", in: .nesting) { environment in
            let family = try Family(environment)
            let people = (0..<10).map { Person("p\($0)", family.parent, age: Int16($0)) }
            try family.parent.save()
            people[3].age = 20
            family.parent.delete(people[4])
            _ = Person("p10", family.parent, age: 5)
            let request = ObjectFetchRequest<Person>(sort: [QuerySort("age"), QuerySort("name")], limit: 4, offset: 3)
            let expected = ["p5", "p10", "p6", "p7"]
            try expectEqual(try inOrder(try family.child.fetch(request).sorted { $0.name ?? "" < $1.name ?? "" }), expected.sorted())
            let own = Person("p11", family.child, age: 6)
            try expectEqual(try inOrder(try family.child.fetch(request)), ["p10", "p5", "p11", "p6"])
            own.age = -1
            try expectEqual(try family.child.count(for: ObjectFetchRequest<Person>(key("age") < .int(5))), 4)
            try expectEqual(try family.parent.count(for: ObjectFetchRequest<Person>(key("age") < .int(5))), 3)
        }
        ConformanceCase("A child awakes what it gets from its parent, and the parent what it gets from a child", in: .nesting) {
            environment in
            let stack = try environment.stack(Models.witness.get())
            let parent = stack.context()
            let child = stack.child(of: parent)
            let made = Witness(context: child)
            made[Witness.name] = "w"
            try expectEqual(made.heard.filter { $0 == "insert" }.count, 1)
            try child.save()
            let other = try unwrap(parent.existingObject(with: made.objectID) as? Witness)
            try expectEqual(other[Witness.name], "w")
            try expectEqual(other.heard.filter { $0 == "insert" }, [])
            try expectEqual(other.heard.filter { $0 == "fetch" }.count, 1)
            try expect(made.heard.contains("willSave") && made.heard.contains("didSave"), "a save of a child is none to its objects")
            try parent.save()
            try expect(other.heard.contains("willSave") && other.heard.contains("didSave"), "the parent's object did not hear of its save")
        }
    }
}
