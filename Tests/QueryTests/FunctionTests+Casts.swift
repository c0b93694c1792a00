import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import Testing

extension FunctionTests {
    @Test("CAST to numbers")
    func castToNumbers() throws {
        #expect(try value(.cast, "12", "NSNumber") == 12)
        #expect(try value(.cast, "1.5", "NSNumber") == 1.5)
        #expect(try value(.cast, "x", "NSNumber") == .null)
        #expect(try value(.cast, 1.9, "integer64") == 1)
        #expect(try value(.cast, -1.9, "NSInteger") == -1)
        #expect(try value(.cast, 1e30, "Int64") == .null)
        #expect(try value(.cast, 40_000, "integer16") == .null)
        #expect(try value(.cast, 40_000, "integer32") == 40_000)
        #expect(try value(.cast, 1, "double") == 1.0)
        #expect(try value(.cast, 0.1, "float") == .double(Double(Float(0.1))))
        #expect(try value(.cast, "0.10", "NSDecimalNumber") == decimal("0.1"))
        #expect(try value(.cast, "1x", "decimal") == .null)
        #expect(try value(.cast, 0.1, "NSDecimalNumber") == decimal("0.1"))
        #expect(try value(.cast, .double(.nan), "decimal") == .null)
        #expect(try value(.cast, date(1.5), "NSNumber") == 1.5)
        #expect(try value(.cast, true, "NSNumber") == 1)
        #expect(try value(.cast, 2, "boolean") == true)
        #expect(try value(.cast, "NO", "Bool") == false)
        #expect(try value(.cast, "maybe", "Bool") == .null)
    }

    @Test("CAST to text, dates, data, UUIDs and URLs")
    func castToOthers() throws {
        let uuid = UUID()
        #expect(try value(.cast, 12, "NSString") == "12")
        #expect(try value(.cast, 1.5, "string") == "1.5")
        #expect(try value(.cast, true, "NSString") == "1")
        #expect(try value(.cast, try decimal("1.50"), "NSString") == "1.5")
        #expect(try value(.cast, .uuid(uuid), "NSString") == .string(uuid.uuidString))
        #expect(try value(.cast, 10, "NSDate") == date(10))
        #expect(try value(.cast, "10.5", "date") == date(10.5))
        #expect(try value(.cast, "x", "NSDate") == .null)
        #expect(try value(.cast, .string(uuid.uuidString), "NSUUID") == .uuid(uuid))
        #expect(try value(.cast, "x", "uuid") == .null)
        #expect(try value(.cast, "AQI=", "NSData") == .data(Data([1, 2])))
        #expect(try value(.cast, "?", "binary") == .null)
        let page = try #require(URL(string: "https://a.b"))
        #expect(try value(.cast, "https://a.b", "NSURL") == .url(page))
        #expect(try value(.cast, .url(page), "NSString") == "https://a.b")
        #expect(try value(.cast, 1, "NSFruit") == .null)
        #expect(try value(.cast, 1, .null) == .null)
        #expect(try value(.cast, .null, "NSDate") == .null)
    }
}
