import Strata

/// Many-to-many relationships without order.
enum LinkCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A many-to-many relationship is seen from both sides", in: .relationships) { environment in
            try environment.everywhere(Models.company) { context in
                let skills = ["s0", "s1", "s2"].map { name in
                    let skill = Skill(context: context)
                    skill.name = name
                    return skill
                }
                Person("p", context).skills = [skills[0], skills[1]]
                skills[1].add(Person("q", context), to: Skill.people)
            } check: { context in
                try expectEqual(try names(context.named("p", Person.self).skills), ["s0", "s1"])
                try expectEqual(try names(context.named("q", Person.self).skills), ["s1"])
                try expectEqual(try names(context.named("s0", Skill.self).people), ["p"])
                try expectEqual(try names(context.named("s1", Skill.self).people), ["p", "q"])
                try expectEqual(try names(context.named("s2", Skill.self).people), [])
            }
        }
        ConformanceCase("Links of saved objects can be added and removed from either side", in: .relationships) { environment in
            try environment.changed(Models.company) { context in
                for name in ["p", "q"] {
                    let person = Person(name, context)
                    for index in 0..<2 {
                        let skill = Skill(context: context)
                        skill.name = "\(name)\(index)"
                        person.add(skill, to: Person.skills)
                    }
                }
            } change: { context in
                let (p, q) = (try context.named("p", Person.self), try context.named("q", Person.self))
                p.remove(try context.named("p0", Skill.self), from: Person.skills)
                try context.named("q1", Skill.self).remove(q, from: Skill.people)
                q.add(try context.named("p1", Skill.self), to: Person.skills)
            } check: { context in
                try expectEqual(try names(context.named("p", Person.self).skills), ["p1"])
                try expectEqual(try names(context.named("q", Person.self).skills), ["p1", "q0"])
                try expectEqual(try names(context.named("p1", Skill.self).people), ["p", "q"])
                try expectEqual(try names(context.named("p0", Skill.self).people), [])
            }
        }
        ConformanceCase("A link made at both ends is one link", in: .relationships) { environment in
            try environment.changed(Models.company) { context in
                let (p, s) = (Person("p", context), Skill(context: context))
                s.name = "s"
                p.add(s, to: Person.skills)
                s.add(p, to: Skill.people)
            } change: { context in
                try context.named("p", Person.self).remove(try context.named("s", Skill.self), from: Person.skills)
            } check: { context in
                try expectEqual(try context.named("p", Person.self).skills.count, 0)
                try expectEqual(try context.named("s", Skill.self).people.count, 0)
            }
        }
        ConformanceCase("A link that is removed and made again stays", in: .relationships) { environment in
            try environment.changed(Models.company) { context in
                let s = Skill(context: context)
                s.name = "s"
                Person("p", context).skills = [s]
            } change: { context in
                let (p, s) = (try context.named("p", Person.self), try context.named("s", Skill.self))
                p.remove(s, from: Person.skills)
                s.add(p, to: Skill.people)
            } check: { context in
                try expectEqual(try names(context.named("p", Person.self).skills), ["s"])
            }
        }
        ConformanceCase("Friendship holds both ways", in: .relationships) { environment in
            try environment.changed(Models.company) { context in
                let people = ["a", "b", "c", "d"].map { Person($0, context) }
                people[0].friends = [people[1], people[2]]
            } change: { context in
                let (a, c, d) = (
                    try context.named("a", Person.self), try context.named("c", Person.self), try context.named("d", Person.self)
                )
                c.remove(a, from: Person.friends)
                d.add(c, to: Person.friends)
            } check: { context in
                let friends = try ["a", "b", "c", "d"].map { try names(context.named($0, Person.self).friends) }
                try expectEqual(friends, [["b"], ["a"], ["d"], ["c"]])
            }
        }
        ConformanceCase("Liking holds one way, and being liked the other", in: .relationships) { environment in
            try environment.everywhere(Models.shapes) { context in
                let (a, b) = (try context.add("Node", "a"), try context.add("Node", "b"))
                try a.setValue([b], forKey: "likes")
            } check: { context in
                let (a, b) = (try context.one("Node", "a"), try context.one("Node", "b"))
                try expectEqual(try a.many("likes"), [b])
                try expectEqual(try a.many("likedBy"), [])
                try expectEqual(try b.many("likedBy"), [a])
                try expectEqual(try b.many("likes"), [])
            }
        }
        ConformanceCase("Deleting an object removes its links", in: .relationships) { environment in
            try environment.changed(Models.company) { context in
                let skill = Skill(context: context)
                skill.name = "s"
                skill.people = [Person("p", context), Person("q", context)]
            } change: { context in
                context.delete(try context.named("p", Person.self))
            } check: { context in
                try context.processPendingChanges()
                try expectEqual(try names(context.named("s", Skill.self).people), ["q"])
            }
        }
        ConformanceCase("2,000 links in one save come back", in: .relationships) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let skills = (0..<20).map { index in
                let skill = Skill(context: context)
                skill.name = "s\(index)"
                return skill
            }
            for index in 0..<400 { Person("p\(index)", context).skills = Set((0..<5).map { skills[(index + $0 * 3) % 20] }) }
            try context.save()
            let again = try stack.reopened().context()
            for skill in try again.fetch(ObjectFetchRequest<Skill>()) { try expectEqual(skill.people.count, 100) }
            for person in try again.fetch(ObjectFetchRequest<Person>(limit: 50)) { try expectEqual(person.skills.count, 5) }
        }
    }
}
