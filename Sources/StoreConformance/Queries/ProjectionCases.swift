import FoundationEssentials
import Strata

/// Results as types of the caller's own.
enum ProjectionCases {
    private struct Line: Decodable, Equatable {
        var productLine: String
        var total: Int
        var mean: Double?
    }

    private struct Everything: Decodable {
        enum Mood: String, Decodable { case calm, wild }
        var i16: Int16
        var i64: Int
        var decimal: Decimal
        var double: Double
        var float: Float
        var text: Mood
        var flag: Bool
        var date: Date
        var data: Data
        var uuid: UUID
        var url: URL
        var i32: Int32?
    }

    private struct Misnamed: Decodable { var productline: String }
    private struct Mistyped: Decodable { var productLine: Int }
    private struct Narrow: Decodable { var sold: UInt8 }

    /// Decodes an optional, and a type that looks for nil, as values.
    private struct Lenient: Decodable, Equatable {
        struct Count: Decodable, Equatable {
            var text: String
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                text = container.decodeNil() ? "none" : String(try container.decode(Int.self))
            }
        }
        enum CodingKeys: String, CodingKey { case productLine, sold }
        var productLine: String?
        var sold: Count
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            productLine = try container.decode(String?.self, forKey: .productLine)
            sold = try container.decode(Count.self, forKey: .sold)
        }
    }
    private struct Unfetched: Decodable { var sold: Int?; var price: Double? }
    private struct Nested: Decodable { struct Inner: Decodable { var a: Int }; var productLine: Inner }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A nil is nil to whatever type takes it", in: .queries) { environment in
            // Only `decodeIfPresent` knew of nil: `decode(Int?.self, …)` and `[String: String?]` were errors.
            let context = try environment.stack(Models.sales).context()
            _ = Sale(context: context)
            try context.save()
            let request = ObjectFetchRequest<Sale>().fetching("productLine", "sold")
            let found = try context.fetch(request, as: Lenient.self)
            try expect(found[0].productLine == nil, "it has a product line")
            try expectEqual(found.map(\.sold.text), ["none"])
            let dictionaries = try context.fetch(ObjectFetchRequest<Sale>().fetching("productLine"), as: [String: String?].self)
            try expectEqual(dictionaries.map { $0.keys.sorted() }, [["productLine"]])
            try expect(dictionaries[0].values.allSatisfy { $0 == nil }, "no nil")
            try expectEqual(
                try context.fetch(ObjectFetchRequest<Sale>().fetching("sold"), as: Unfetched.self).map { $0.price == nil }, [true])
            for attempt in [
                { _ = try context.fetch(request, as: [String: String].self) }, { _ = try context.fetch(request, as: Nested.self) },
            ] {
                let error = try expectThrows(QueryError.self, attempt)
                try expect(error.message.hasPrefix("it is nil, and its property of "), "\(error)")
            }
        }
        ConformanceCase("Groups come as a type of one's own", in: .queries) { environment in
            let context = try environment.stack(Models.sales).context()
            Sale.insert(into: context)
            try context.save()
            let request = ObjectFetchRequest<Sale>().grouped(
                by: ["productLine"], computing: [.sum("sold", as: "total"), .average("sold", as: "mean")])
            let lines = try context.fetch(request, as: Line.self)
            try expectEqual(lines.map(\.productLine), ["Bowler", "Stetson", "Top Hat"])
            try expectEqual(lines.map(\.total), [48, 142, 50])
            try expectEqual(lines[0].mean, 24)
        }
        ConformanceCase("Attributes of every type come as properties", in: .queries) { environment in
            let context = try environment.stack(Models.items).context()
            let item = Item(context: context)
            let (date, uuid) = (Date(timeIntervalSinceReferenceDate: 77.25), UUID())
            item[Item.i16] = -5
            item[Item.i64] = .max
            item[Item.decimal] = Decimal(string: "12.5")
            item[Item.double] = 0.25
            item[Item.float] = 1.5
            item[Item.text] = "wild"
            item[Item.flag] = true
            item[Item.date] = date
            item[Item.data] = Data([1, 2])
            item[Item.uuid] = uuid
            item[Item.url] = URL(string: "https://strata.example/a")
            try context.save()
            let found = try unwrap(context.fetch(ObjectFetchRequest<Item>(), as: Everything.self).first)
            try expectEqual(found.i16, -5)
            try expectEqual(found.i64, .max)
            try expectEqual(found.decimal, Decimal(string: "12.5") ?? 0)
            try expectEqual(found.double, 0.25)
            try expectEqual(found.float, 1.5)
            try expectEqual(found.text, .wild)
            try expect(found.flag, "the flag is false")
            try expectEqual(found.date, date)
            try expectEqual(found.data, Data([1, 2]))
            try expectEqual(found.uuid, uuid)
            try expectEqual(found.url.absoluteString, "https://strata.example/a")
            try expect(found.i32 == nil, "\(String(describing: found.i32))")
        }
        ConformanceCase("A type that does not fit the results is an error that names the property", in: .queries) { environment in
            let context = try environment.stack(Models.sales).context()
            Sale.insert(into: context)
            let empty = Sale(context: context)
            empty[Sale.sold] = 300
            try context.save()
            let request = ObjectFetchRequest<Sale>(Sale.sold == 300).fetching("productLine", "sold")
            let all = ObjectFetchRequest<Sale>(Sale.sold == 18).fetching("productLine", "sold")
            // They were printed as Swift prints a DecodingError: with the names of its types, and of coding keys.
            func text<T: Decodable>(_ request: ObjectFetchRequest<Sale>, _ type: T.Type) throws -> String {
                "\(try expectThrows(QueryError.self) { try context.fetch(request, as: type) })"
            }
            try expectEqual(try text(all, Misnamed.self), "productline: nothing was fetched under the name, only productLine, sold")
            let mistyped = try text(all, Mistyped.self)
            try expect(mistyped.hasPrefix("productLine: "), mistyped)
            try expect(mistyped.hasSuffix(" is no Int"), mistyped)
            try expectEqual(try text(request, Narrow.self), "sold: 300 is no UInt8")
            try expectEqual(try text(request, Line.self), "productLine: it is nil, and its property of Line is not optional")
        }
        ConformanceCase("Attributes come as tuples", in: .queries) { environment in
            let context = try environment.stack(Models.company).context()
            let company = Company(context: context)
            company.name = "Strata"
            _ = Person("a", context, age: 20, company: company)
            _ = Person("b", context)
            try context.save()
            let request = ObjectFetchRequest<Person>(sort: [Person.name.ascending])
            let rows = try context.fetch(request, selecting: Person.name, Person.age, Person.company.appending(Company.name), Person.name)
            try expectEqual(rows.map(\.0), ["a", "b"])
            try expectEqual(rows.map(\.1), [20, nil])
            try expectEqual(rows.map(\.2), ["Strata", nil])
            try expectEqual(rows.map(\.3), ["a", "b"])
        }
    }
}
