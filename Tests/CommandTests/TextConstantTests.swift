import StrataTestSupport
import Testing

@Suite("The command: texts in conditions") struct TextConstantTests {
    @Test(
        "A text is read as a date or an object where it is compared with one",
        arguments: [
            ("Customer where since > \"2001-01-03\"", 2), ("Customer where \"2001-01-03\" > since", 1),
            ("Customer where since == \"2001-01-03T00:00:00.25Z\"", 1), ("Customer where since == '2001-01-03T01:00:00.25+01:00'", 1),
            ("Customer where since BETWEEN {\"2001-01-02\", \"2001-01-04\"}", 2),
            ("Customer where since IN {\"2001-01-03T00:00:00.25Z\", \"2001-01-05\"}", 1),
            ("Customer where NOT (since < \"2001-01-03\" OR number == 3)", 1),
            ("Customer where orders.@count == 2 and since > \"2001-01-01\"", 1),
            ("Order where customer == \"Customer/p2\"", 2), ("Order where customer.since >= \"2001-01-04\"", 3),
            ("Order where customer IN {\"Customer/p1\", \"Customer/p3\"}", 4), ("Customer where SELF == \"Customer/p1\"", 1),
            ("Customer where ANY orders == \"Order/p2\"", 1), ("Customer where orders CONTAINS \"Order/p2\"", 1),
            ("Customer where SUBQUERY(orders, $o, $o == \"Order/p2\" and $o.customer.since > \"2001-01-01\").@count > 0", 1),
            ("Customer where TERNARY(since > \"2001-01-03\", number, 0) > 0", 2), ("Customer where since > CAST(0, \"NSDate\")", 3),
            ("Customer where name == \"2001-01-03\"", 0), ("Customer where name CONTAINS \"2\"", 1),
        ]) func readsTexts(query: String, count: Int) throws
    {
        let shop = try Shop()
        let run = try shop.run("count", shop.path, query)
        #expect(run.errors == "")
        #expect(run.output == "\(count)\n")
    }

    @Test("A text is read as an object also by its whole URI, and a date can limit groups") func urisAndGroups() throws {
        let shop = try Shop()
        let uri = try #require(shop.run("query", shop.path, "Customer where number == 2", "--csv").lines.last?.split(separator: ",").first)
        #expect(try shop.run("count", shop.path, "Order where customer == \"\(uri)\"").output == "2\n")
        let query = "Order select customer.name as who, max:(customer.since) as last group customer.name"
        let groups = try shop.run("query", shop.path, query + " having max:(customer.since) > \"2001-01-03\" sort who", "--csv")
        #expect(groups.lines.dropFirst().map { $0.prefix(10) } == ["Customer 2", "Customer 3"])
    }

    @Test(
        "A text that is no such value is refused, with the form that it must have",
        arguments: [
            ("Customer where since > \"2001\"", "\"2001\" is not a date, such as"),
            ("Customer where since > \"yesterday\"", "\"yesterday\" is not a date, such as"),
            ("Customer where since > \"2001-02-30\"", "\"2001-02-30\" is not a date, such as"),
            ("Order where customer == \"Ada\"", "\"Ada\" is not the URI of an object in this store"),
            ("Order where customer == \"Nobody/p1\"", "\"Nobody/p1\" is not the URI of an object in this store"),
        ]) func refusesOthers(query: String, message: String) throws
    {
        let shop = try Shop()
        let run = try shop.run("count", shop.path, query)
        #expect(run.status == 65)
        #expect(run.errors.hasPrefix("error: \(message)"))
    }
}
