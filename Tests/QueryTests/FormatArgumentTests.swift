import FoundationEssentials
import StrataModel
import StrataQuery
import Testing

@Suite("Arguments of format strings")
struct FormatArgumentTests {
    private enum Mood: String, ValueConvertible, QueryArgument { case good, bad }

    @Test("Placeholders take arguments of every kind")
    func kinds() throws {
        let uuid = UUID()
        let date = Date(timeIntervalSinceReferenceDate: 7)
        let url = try #require(URL(string: "https://a.b"))
        let none: String? = nil
        func value(_ argument: (any QueryArgument)?) throws -> QueryExpression { try QueryExpression(format: "%@", argument) }
        #expect(try value("x") == .constant("x"))
        #expect(try value(5) == .constant(5))
        #expect(try value(UInt8(5)) == .constant(5))
        #expect(try value(UInt64.max) == .constant(.decimal(Decimal(UInt64.max))))
        #expect(try value(Int64.min) == .constant(.int(.min)))
        #expect(try value(1.5) == .constant(1.5))
        #expect(try value(Float(1.5)) == .constant(1.5))
        #expect(try value(true) == .constant(true))
        #expect(try value(Decimal(3)) == .constant(.decimal(3)))
        #expect(try value(date) == .constant(.date(date)))
        #expect(try value(uuid) == .constant(.uuid(uuid)))
        #expect(try value(url) == .constant(.url(url)))
        #expect(try value(Data([1])) == .constant(.data(Data([1]))))
        #expect(try value(Value.int(3)) == .constant(3))
        #expect(try value(nil) == .constant(.null))
        #expect(try value(none) == .constant(.null))
        #expect(try value(Mood.good) == .constant("good"))
        #expect(try value([1, 2]) == .constant([1, 2]))
        #expect(try value(["a", nil]) == .constant(.list(["a", .null])))
        #expect(try value(Set([4])) == .constant([4]))
        #expect(try value(["k": 4]) == .constant([4]))
        #expect(try value([key("a"), key("b")]) == .list([key("a"), key("b")]))
        #expect(try value(key("a")) == key("a"))
        #expect(try value(Key<Int>("a")) == key("a"))
        #expect(try value("abc".dropFirst()) == .constant("bc"))
    }

    @Test("%K takes names and keys, alone and with a path")
    func keys() throws {
        #expect(try QueryPredicate(format: "%K == 1", "a.b") == (key("a.b") == 1))
        #expect(try QueryPredicate(format: "%K == 1", Key<Int>("a")) == (key("a") == 1))
        #expect(try QueryPredicate(format: "%K.@count == 1 AND x.%K == 1", "a", "b") == (key("a.@count") == 1 && key("x.b") == 1))
        #expect(try QueryPredicate(format: "%K == %@", "SELF", 1) == (QueryExpression.evaluatedObject == 1))
        #expect(try QueryPredicate(format: "%K == 1", "odd name; in") == (key("odd name; in") == 1))
        #expect(try QueryExpression(format: "$x.%K", "a") == .path(.variable("x"), "a"))
    }

    @Test(
        "Conversions of printf take numbers",
        arguments: [
            "%d", "%i", "%u", "%ld", "%lu", "%lld", "%llu", "%lli", "%qi", "%hd", "%hhu", "%zd", "%x", "%X", "%o", "%D", "%5d", "%02ld",
            "%@",
        ])
    func integers(placeholder: String) throws {
        #expect(try QueryPredicate(format: "a == \(placeholder) AND b == 1", 42) == (key("a") == 42 && key("b") == 1))
    }

    @Test("Conversions of fractions, characters and C strings")
    func otherConversions() throws {
        #expect(try QueryExpression(format: "%f", 1.5) == .constant(1.5))
        #expect(try QueryExpression(format: "%.2f", 1) == .constant(1.0))
        #expect(try QueryExpression(format: "%Lg", Float(0.5)) == .constant(0.5))
        #expect(try QueryExpression(format: "%e", Decimal(2)) == .constant(.decimal(2)))
        #expect(try QueryExpression(format: "%s", "abc") == .constant("abc"))
        #expect(try QueryExpression(format: "%c", "x") == .constant("x"))
        #expect(try QueryExpression(format: "%d", true) == .constant(1))
        #expect(try QueryExpression(format: "%llu", UInt64.max) == .constant(.decimal(Decimal(UInt64.max))))
    }

    @Test("Arguments without a placeholder are passed over")
    func surplus() throws {
        #expect(try QueryPredicate(format: "a == %@", 1, "more", nil) == (key("a") == 1))
        #expect(try QueryPredicate(format: "a == 1", argumentArray: [1, nil, "x"]) == (key("a") == 1))
    }

    @Test("Missing arguments and arguments of the wrong kind are errors at their placeholder")
    func misfits() {
        func failure(_ format: String, _ arguments: [(any QueryArgument)?]) -> QueryFormatError? {
            do throws(QueryFormatError) {
                _ = try QueryPredicate(format: format, argumentArray: arguments)
                return nil
            } catch { return error }
        }
        #expect(failure("a == %@ AND b == %@", [1])?.utf8Offset == 17)
        #expect(failure("a == %d", ["x"])?.description == "position 5: expected an integer as argument of %d, found a text")
        #expect(failure("a == %d", [1.5]) != nil)
        #expect(failure("a == %d", [nil]) != nil)
        #expect(failure("a == %f", ["x"]) != nil)
        #expect(failure("a == %s", [1]) != nil)
        #expect(failure("a == %c", ["xy"]) != nil)
        #expect(failure("a == %f", [key("b")]) != nil)
        #expect(failure("%K == 1", [5])?.utf8Offset == 0)
        #expect(failure("%K == 1", [nil]) != nil)
        #expect(failure("%K == 1", [""]) != nil)
        #expect(failure("%@", ["a == 1"])?.utf8Offset == 2)
        #expect(failure("a == 1 AND %@", [key("b")])?.utf8Offset == 13)
    }

    @Test("What an argument says is never read as format text")
    func injection() throws {
        let hostile = "x\" OR TRUEPREDICATE OR \"\" == \"%@ \\ '; DROP TABLE ZPERSON; --\0"
        let predicate = try QueryPredicate(format: "name == %@ AND %K == 1", hostile, hostile)
        #expect(predicate == (key("name") == .string(hostile) && key(hostile) == 1))
        #expect(try QueryPredicate(format: predicate.predicateFormat) == predicate)
    }

    @Test("Object IDs are constants given a model, casts without one")
    func objectIDs() throws {
        let office = try Office()
        for store in ["STORE", nil] as [StoreID?] {
            let id = try office.id(7, store: store)
            let temporary = ObjectID(scope: id.scope, reference: store == nil ? .min + 7 : 7)
            let predicate = try QueryPredicate(format: "boss == %@", temporary)
            let text = predicate.predicateFormat
            #expect(text == "boss == CAST(\"\(temporary.uriRepresentation)\", \"NSManagedObjectID\")")
            #expect(try QueryPredicate(format: text, model: office.model) == predicate)
            #expect(try QueryPredicate(format: text).predicateFormat == text)
        }
    }

    @Test("Substitution replaces free variables only")
    func substitution() throws {
        let predicate = try QueryPredicate(format: "age > $low AND SUBQUERY(staff, $x, $x.age > $low AND $x.age < $high).@count > $x")
        #expect(predicate.variables == ["low", "high", "x"])
        let bound = predicate.withSubstitutionVariables(["low": 3, "x": 9])
        #expect(bound.predicateFormat == "age > 3 AND SUBQUERY(staff, $x, $x.age > 3 AND $x.age < $high).@count > 9")
        #expect(bound.variables == ["high"])
        #expect(
            try QueryPredicate(format: "a BETWEEN {$low, $high}").withSubstitutionVariables(["low": 1, "high": 2]) == key("a").between(1, 2)
        )
        #expect(try QueryPredicate(format: "$x := $y == $x").variables == ["y"])
        #expect(
            try QueryPredicate(format: "a == CAST($s, 'NSDate')").withSubstitutionVariables(["s": 5])
                == (key("a") == .date(Date(timeIntervalSinceReferenceDate: 5))))
        #expect(try QueryExpression(format: "$x.name").withSubstitutionVariables(["x": key("boss")]) == .path(key("boss"), "name"))
    }

    @Test("A value's variable is not captured by a subquery: the subquery's own is renamed")
    func capture() throws {
        // `$y.n > $X` became `$y.n > $y`, whatever `$y` was outside.
        let predicate = try QueryPredicate(format: "SUBQUERY(links, $y, $y.n > $X).@count > 0 AND $y.m == $X")
        #expect(
            predicate.withSubstitutionVariables(["X": QueryExpression.variable("y")]).predicateFormat
                == "SUBQUERY(links, $x, $x.n > $y).@count > 0 AND $y.m == $y")
        #expect(predicate.withSubstitutionVariables(["Z": QueryExpression.variable("y")]) == predicate)
        // Two variables, both renamed, stay two.
        let nested = try QueryPredicate(format: "SUBQUERY(a, $y, SUBQUERY(b, $z, $z.n > $y.n AND $X == 1).@count > 0).@count > 0")
        let sum = try QueryExpression(format: "$y + $z")
        #expect(
            nested.withSubstitutionVariables(["X": sum]).predicateFormat
                == "SUBQUERY(a, $x, SUBQUERY(b, $x1, $x1.n > $x.n AND $y + $z == 1).@count > 0).@count > 0")
    }
}
