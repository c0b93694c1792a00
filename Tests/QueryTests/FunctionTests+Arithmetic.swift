import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import Testing

extension FunctionTests {
    @Test("Integers stay integers, until they overflow")
    func integers() throws {
        #expect(try value(.add, 2, 3) == 5)
        #expect(try value(.subtract, 2, 3) == -1)
        #expect(try value(.multiply, 2, 3) == 6)
        #expect(try value(.divide, 7, 2) == 3)
        #expect(try value(.divide, -7, 2) == -3)
        #expect(try value(.modulus, 7, 3) == 1)
        #expect(try value(.modulus, -7, 3) == -1)
        #expect(try value(.modulus, 7, -3) == 1)
        #expect(try value(.add, .int(.max), 1) == 0x1p63)
        #expect(try value(.subtract, .int(.min), 1) == .double(-0x1p63))
        #expect(try value(.multiply, .int(.max), 2) == .double(0x1p64))
        #expect(try value(.divide, .int(.min), -1) == 0x1p63)
        #expect(try value(.modulus, .int(.min), -1) == 0)
        #expect(try value(.negate, .int(.min)) == 0x1p63)
        #expect(try value(.abs, .int(.min)) == 0x1p63)
        #expect(try value(.abs, -5) == 5)
        #expect(try value(.add, true, 1) == 2)
    }

    @Test("With a floating-point number the result is one, with a decimal a decimal")
    func kinds() throws {
        #expect(try value(.add, 1, 0.5) == 1.5)
        #expect(try value(.divide, 7.0, 2) == 3.5)
        #expect(try value(.modulus, 7.5, 2) == 1.5)
        #expect(try value(.add, try decimal("0.1"), try decimal("0.2")) == decimal("0.3"))
        #expect(try value(.multiply, 3, try decimal("0.5")) == decimal("1.5"))
        #expect(try value(.divide, try decimal("1"), 4) == decimal("0.25"))
        #expect(try value(.add, try decimal("0.5"), 0.25) == 0.75)
        #expect(try value(.modulus, try decimal("-7.5"), 2) == decimal("-1.5"))
        #expect(try value(.negate, try decimal("2.5")) == decimal("-2.5"))
        #expect(try value(.abs, try decimal("-2.5")) == decimal("2.5"))
    }

    @Test("Beyond what a decimal holds, the result is a floating-point number")
    func decimalOverflow() throws {
        let great = Value.decimal(.greatestFiniteMagnitude)
        guard case .double(let product) = try value(.multiply, great, great), case .double(let power) = try value(.raise, great, 2) else {
            Issue.record("a product is no floating-point number")
            return
        }
        #expect(product > 1e300)
        #expect(power > 1e300)
        #expect(try value(.add, .decimal(.nan), 1) == .decimal(.nan))
    }

    @Test("What has no result is nil: a division by zero, a root of a negative number, a logarithm of zero")
    func undefined() throws {
        for zero: Value in [0, 0.0, .decimal(0), false] {
            #expect(try value(.divide, 1, zero) == .null)
            #expect(try value(.modulus, 1.5, zero) == .null)
        }
        #expect(try value(.squareRoot, -1) == .null)
        #expect(try value(.log, 0) == .null)
        #expect(try value(.ln, -1.0) == .null)
        #expect(try value(.subtract, .double(.infinity), .double(.infinity)) == .null)
        #expect(try value(.raise, 0, -1) == .null)
        #expect(try value(.raise, -1, 0.5) == .null)
        #expect(try value(.squareRoot, .double(.nan)) == .double(.nan))
        #expect(try value(.add, .double(.nan), 1) == .double(.nan))
    }

    @Test("Powers, roots and logarithms")
    func powers() throws {
        #expect(try value(.raise, 2, 10) == 1024)
        #expect(try value(.raise, 0, 0) == 1)
        #expect(try value(.raise, 2, -1) == 0.5)
        #expect(try value(.raise, -3, 3) == -27)
        #expect(try value(.raise, 2, 63) == 0x1p63)
        #expect(try value(.raise, -2, 63) == .int(.min))
        #expect(try value(.raise, 2, .int(.max)) == .double(.infinity))
        #expect(try value(.raise, 1, .int(.max)) == 1)
        #expect(try value(.raise, 2.0, 0) == 1.0)
        #expect(try value(.raise, 4, 0.5) == 2.0)
        #expect(try value(.raise, try decimal("1.5"), 2) == decimal("2.25"))
        #expect(try value(.squareRoot, 9) == 3.0)
        #expect(try value(.log, 1000) == 3.0)
        #expect(try value(.ln, 1) == 0.0)
        #expect(try value(.exp, 0) == 1.0)
        #expect(try value(.exp, 1e9) == .double(.infinity))
    }

    @Test("Rounding stays within the kind")
    func rounding() throws {
        #expect(try value(.floor, -1.5) == -2.0)
        #expect(try value(.ceiling, -1.5) == -1.0)
        #expect(try value(.trunc, -1.5) == -1.0)
        #expect(try value(.floor, 7) == 7)
        #expect(try value(.ceiling, .int(.min)) == .int(.min))
        #expect(try value(.floor, .double(.infinity)) == .double(.infinity))
        #expect(try value(.trunc, .double(.nan)) == .double(.nan))
        #expect(try value(.floor, try decimal("-1.5")) == decimal("-2"))
        #expect(try value(.floor, try decimal("1.5")) == decimal("1"))
        #expect(try value(.ceiling, try decimal("1.2")) == decimal("2"))
        #expect(try value(.ceiling, try decimal("-1.2")) == decimal("-1"))
        #expect(try value(.ceiling, try decimal("-0.2")) == decimal("0"))
        #expect(try value(.trunc, try decimal("-1.9")) == decimal("-1"))
        #expect(try value(.floor, try decimal("3")) == decimal("3"))
        #expect(try value(.floor, .decimal(.nan)) == .decimal(.nan))
    }

    @Test("Dates take seconds, and the time between two of them is seconds")
    func dates() throws {
        #expect(try value(.subtract, date(30), date(10)) == 20.0)
        #expect(try value(.subtract, date(30), 10) == date(20))
        #expect(try value(.add, date(30), 1.5) == date(31.5))
        #expect(try value(.add, 2, date(30)) == date(32))
        #expect(try value(.add, date(1), date(2)) == .null)
        #expect(try value(.subtract, 1, date(2)) == .null)
        #expect(try value(.multiply, date(1), 2) == .null)
    }

    @Test("Nil in, nil out; what a function is not for gives nil")
    func wrongKinds() throws {
        let notNumbers: [Value] = [.null, "a", .data(Data([1])), .uuid(UUID()), [1]]
        for value in notNumbers {
            for function in QueryFunction.allCases where function.argumentCount == 1 && function != .noIndex {
                if value == "a", [.uppercase, .lowercase, .canonical, .length, .characterCount].contains(function) { continue }
                if [.count, .sum, .min, .max, .average, .median, .mode, .standardDeviation, .joined].contains(function) { continue }
                #expect(try self.value(function, value) == .null, "\(function) of \(value)")
            }
            for function in QueryFunction.allCases where function.argumentCount == 2 && ![.cast, .indexedBy, .objectAt].contains(function) {
                #expect(try self.value(function, value, 1) == .null, "\(function) of \(value)")
                // A text that is no time zone is an error.
                if value == "a", function.datePart != nil { continue }
                #expect(try self.value(function, 1, value) == .null, "\(function) of \(value)")
            }
        }
    }

    @Test("No function traps on the ends of the numbers")
    func extremes() throws {
        let ends: [Value] = [
            .int(.min), .int(.max), -1, 0, 1, 64, .double(.nan), .double(.infinity), .double(-.infinity), 1e300,
            .double(.leastNonzeroMagnitude),
            .decimal(.greatestFiniteMagnitude), .decimal(.leastNormalMagnitude), .decimal(.nan), date(.infinity), date(.nan), "UTC", [],
            .null,
        ]
        var computed = 0
        for function in QueryFunction.allCases {
            for a in ends {
                if function.argumentCount == 1 || function.argumentCount == nil {
                    _ = try office.value(.function(function, [.constant(a)]), 1)
                    computed += 1
                }
                guard function.argumentCount == 2 || function.argumentCount == nil else { continue }
                for b in ends {
                    _ = try office.value(.function(function, [.constant(a), .constant(b)]), 1)
                    computed += 1
                }
            }
        }
        #expect(computed > 5000)
    }

    // MARK: - Bits

    @Test("Bits of integers; shifts are defined for every count")
    func bits() throws {
        #expect(try value(.bitwiseAnd, 6, 3) == 2)
        #expect(try value(.bitwiseOr, 6, 3) == 7)
        #expect(try value(.bitwiseXor, 6, 3) == 5)
        #expect(try value(.onesComplement, 0) == -1)
        #expect(try value(.bitwiseAnd, 6.0, 3) == 2)
        #expect(try value(.bitwiseAnd, 6.5, 3) == .null)
        #expect(try value(.leftShift, 1, 4) == 16)
        #expect(try value(.leftShift, 1, 63) == .int(.min))
        #expect(try value(.leftShift, 1, 64) == 0)
        #expect(try value(.rightShift, 16, 4) == 1)
        #expect(try value(.rightShift, -1, 64) == -1)
        #expect(try value(.rightShift, 1, .int(.max)) == 0)
        #expect(try value(.leftShift, 16, -4) == 1)
        #expect(try value(.rightShift, 1, -4) == 16)
        #expect(try value(.leftShift, -1, .int(.min)) == -1)
    }
}
