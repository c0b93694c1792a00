import Strata
import StrataTestModels

/// Uniqueness constraints.
enum UniquenessCases {
    private static let model = ModelResult.declared {
        Entity("Account") {
            Attributes(["name": .string, "mail": .string, "first": .string, "second": .integer64, "ratio": .double])
            Unique("mail")
            Unique("first", "second")
            Unique("ratio")
        }
        Entity("Admin", parent: "Account") {
            Attribute("badge", .integer32)
            Unique("badge")
        }
        Entity("Guest", parent: "Account") { Attribute("badge", .integer32) }
        Entity("Other") { Attributes(["name": .string, "mail": .string]) }
    }

    /// Saves one object, then checks that a second one with given values is refused, or not.
    private static func check(
        _ name: String,
        _ first: (String, [String: any Sendable]),
        _ second: (String, [String: any Sendable]),
        refused: [String]?
    ) -> ConformanceCase {
        let values = [first, second].map { (entity: $0.0, values: $0.1) }
        return ConformanceCase(name, in: .conflicts) { environment in
            let stack = try environment.stack(model)
            let context = stack.context()
            let a = try context.add(values[0].entity, "a")
            for (key, value) in values[0].values { try a.setValue(value, forKey: key) }
            try context.save()
            let other = stack.context()
            let b = try other.add(values[1].entity, "b")
            for (key, value) in values[1].values { try b.setValue(value, forKey: key) }
            guard let refused else {
                try other.save()
                try expectEqual(try stack.reopened().context().all(values[1].entity, key("name") == "b").count, 1)
                return
            }
            let conflicts = try expectConflict(other, code: 133021)
            guard case .constraint(let names, let reference) = conflicts[0].reason else {
                throw ConformanceFailure("\(conflicts[0].reason)")
            }
            try expectEqual(names, refused)
            try expectEqual(reference, a.objectID.reference)
            try expect(b.isInserted && b.objectID.isTemporary, "the context is not as it was")
            try expectEqual(try stack.reopened().context().all(values[1].entity, key("name") == "b").count, 0)
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        check(
            "Two objects may not have a value that is unique, 133021",
            ("Account", ["mail": "x"]),
            ("Account", ["mail": "x"]),
            refused: ["mail"]
        )
        check("Unique values may differ", ("Account", ["mail": "x"]), ("Account", ["mail": "y"]), refused: nil)
        check("Unique text is compared by its bytes", ("Account", ["mail": "\u{E9}"]), ("Account", ["mail": "e\u{301}"]), refused: nil)
        check("Unique text is told apart by case", ("Account", ["mail": "X"]), ("Account", ["mail": "x"]), refused: nil)
        check("Empty text is a value that can be unique", ("Account", ["mail": ""]), ("Account", ["mail": ""]), refused: ["mail"])
        check("Any number of objects may have no unique value", ("Account", [:]), ("Account", [:]), refused: nil)
        check(
            "Values that are unique together may be repeated apart",
            ("Account", ["first": "x", "second": 1]),
            ("Account", ["first": "x", "second": 2]),
            refused: nil
        )
        check(
            "Values that are unique together may not be repeated together",
            ("Account", ["first": "x", "second": 1]),
            ("Account", ["first": "x", "second": 1]),
            refused: ["first", "second"]
        )
        check(
            "One missing value exempts an object from a constraint over two",
            ("Account", ["first": "x"]),
            ("Account", ["first": "x"]),
            refused: nil
        )
        check("Zero is one value whatever its sign", ("Account", ["ratio": 0.0]), ("Account", ["ratio": -0.0]), refused: ["ratio"])
        check("Sub-entities inherit a constraint", ("Admin", ["mail": "x"]), ("Admin", ["mail": "x"]), refused: ["mail"])
        check("A constraint holds over all sub-entities", ("Admin", ["mail": "x"]), ("Guest", ["mail": "x"]), refused: ["mail"])
        check(
            "A constraint holds between an entity and its sub-entity",
            ("Account", ["mail": "x"]),
            ("Guest", ["mail": "x"]),
            refused: ["mail"]
        )
        check("A sub-entity's own constraint holds for it", ("Admin", ["badge": 1]), ("Admin", ["badge": 1]), refused: ["badge"])
        check(
            "A sub-entity's own constraint does not hold for its siblings",
            ("Admin", ["badge": 1]),
            ("Guest", ["badge": 1]),
            refused: nil
        )
        check("A constraint does not hold for other entities", ("Account", ["mail": "x"]), ("Other", ["mail": "x"]), refused: nil)
        ConformanceCase("Two new objects with one unique value are refused", in: .conflicts) { environment in
            let stack = try environment.stack(model)
            let context = stack.context()
            for name in ["a", "b"] { try context.add("Account", name).setValue("x", forKey: "mail") }
            try expectConflict(context, code: 133021)
            try context.one("Account", "b").setValue("y", forKey: "mail")
            try context.save()
            try expectEqual(try names(stack.reopened().context().all("Account")), ["a", "b"])
        }
        // An error printed whole values, of 10 MB too.
        ConformanceCase("The error of a conflict shows the beginning of long values, and has them whole", in: .conflicts) { environment in
            let stack = try environment.stack(model)
            let text = String(repeating: "long", count: 300_000)
            let context = stack.context()
            try context.add("Account", "a", ["mail": text])
            try context.save()
            let other = stack.context()
            try other.add("Account", "b", ["mail": text])
            do {
                try other.save()
                throw ConformanceFailure("a duplicate was saved")
            } catch let error as SaveConflictError {
                try expect("\(error)".count < 1000 && "\(error)".contains("mail = \"longlong"), "\("\(error)".count) characters")
                try expectEqual(error.conflicts.first?.values["mail"], .string(text))
            }
            let refused = try expectStoreError(.wrongValue) {
                try other.execute(BatchInsertRequest(entityName: "Account", objects: [["second": text]]))
            }
            try expect("\(refused)".count < 1000, "\("\(refused)".count) characters")
        }
        ConformanceCase("Two objects can swap their unique values in one save", in: .conflicts) { environment in
            let stack = try environment.stack(model)
            let context = stack.context()
            for name in ["a", "b", "c"] { try context.add("Account", name).setValue(name, forKey: "mail") }
            try context.save()
            let mails = ["a": "b", "b": "c", "c": "a"]
            for (name, mail) in mails { try context.one("Account", name).setValue(mail, forKey: "mail") }
            try context.save()
            let again = try stack.reopened().context()
            for (name, mail) in mails {
                try expectEqual(try again.one("Account", name).text("mail"), mail)
                try expectEqual(try names(again.all("Account", key("mail") == .string(mail))), [name])
            }
        }
        ConformanceCase("A unique value is free when its object is deleted, in the same save too", in: .conflicts) { environment in
            let stack = try environment.stack(model)
            let context = stack.context()
            try context.add("Account", "a").setValue("x", forKey: "mail")
            try context.save()
            context.delete(try context.one("Account", "a"))
            try context.add("Account", "b").setValue("x", forKey: "mail")
            try context.save()
            try expectEqual(try names(stack.reopened().context().all("Account", key("mail") == "x")), ["b"])
        }
        ConformanceCase("A unique value is free when its object has another", in: .conflicts) { environment in
            let stack = try environment.stack(model)
            let context = stack.context()
            let a = try context.add("Account", "a")
            try a.setValue("x", forKey: "mail")
            try context.save()
            try a.setValue("y", forKey: "mail")
            try context.add("Account", "b").setValue("x", forKey: "mail")
            try context.save()
            try a.setValue("x", forKey: "mail")
            try expectConflict(context, code: 133021)
            context.rollback()
            try expectEqual(try a.text("mail"), "y")
        }
        ConformanceCase("A change that breaks a constraint is refused after reopening too", in: .conflicts) { environment in
            let stack = try environment.stack(model)
            let context = stack.context()
            for name in ["a", "b"] { try context.add("Admin", name).setValue(name, forKey: "mail") }
            try context.save()
            let again = try stack.reopened()
            let editor = again.context()
            try editor.one("Admin", "a").setValue("b", forKey: "mail")
            try expectConflict(editor, code: 133021)
            try expectEqual(try again.context().one("Account", "a").text("mail"), "a")
        }
        ConformanceCase("Changing another value of an object with a unique one is no conflict", in: .conflicts) { environment in
            let stack = try environment.stack(model)
            let context = stack.context()
            let a = try context.add("Account", "a")
            try a.setValue("x", forKey: "mail")
            try context.save()
            try a.setValue("a2", forKey: "name")
            try a.setValue("x", forKey: "mail")
            try context.save()
            try expectEqual(try stack.reopened().context().one("Account", "a2").text("mail"), "x")
        }
    }
}
