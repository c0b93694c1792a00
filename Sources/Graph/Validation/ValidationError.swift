import StrataCoordinator
public import StrataModel

/// The failed validation of a value or an object.
public struct ValidationFailure: Error, Sendable, CustomStringConvertible {
    /// The rule that is broken, each with its Cocoa code.
    public enum Rule: Int, Sendable, Hashable {
        /// An object's own validation method failed, or a value is not of its attribute's type.
        case custom = 1550
        /// A value that may not be missing is.
        case missingMandatoryProperty = 1570
        /// A relationship has too few destinations.
        case relationshipLacksMinimumCount = 1580
        /// A relationship has too many destinations.
        case relationshipExceedsMaximumCount = 1590
        /// An object that is to be deleted has destinations in a relationship whose rule is deny.
        case relationshipDeniedDelete = 1600
        /// A number is above its attribute's range, or above the type's.
        case numberTooLarge = 1610
        /// A number is below its attribute's range, or below the type's.
        case numberTooSmall = 1620
        /// A date is behind its attribute's range.
        case dateTooLate = 1630
        /// A date is before its attribute's range.
        case dateTooSoon = 1640
        /// A value for a date is NaN.
        case invalidDate = 1650
        /// A text has more characters than its attribute allows.
        case stringTooLong = 1660
        /// A text has fewer characters than its attribute demands.
        case stringTooShort = 1670
        /// A text does not match its attribute's regular expression from end to end.
        case stringPatternMatching = 1680
        /// A text is not a URI.
        case invalidURI = 1690
    }

    /// The invalid object; a temporary ID where it is new.
    public let objectID: ObjectID
    /// The name of its entity.
    public let entity: String
    /// The name of the property; `nil` where the object as a whole is invalid.
    public let key: String?
    /// The value that breaks the rule; `null` where one is missing, or where the object is invalid as a whole.
    public let value: Value
    /// The rule that is broken.
    public let rule: Rule
    /// The description of the failure in one sentence.
    public let message: String
    /// The error of an object's own validation method.
    package let thrown: (any Error)?

    /// Creates a failure; an object's own validation method throws one to join those of the model's rules.
    public init(_ rule: Rule, _ object: ManagedObject, key: String?, value: Value = .null, message: String) {
        self.rule = rule
        objectID = object.objectID
        entity = object.entity.name
        self.key = key
        self.value = value
        self.message = message
        thrown = nil
    }

    init(_ thrown: any Error, _ object: ManagedObject, key: String?, value: Value) {
        rule = .custom
        objectID = object.objectID
        entity = object.entity.name
        self.key = key
        self.value = value
        message = "\(thrown)"
        self.thrown = thrown
    }

    /// Core Data's code of the rule.
    public var cocoaCode: Int { rule.rawValue }

    public var description: String { "\(entity)\(key.map { "." + $0 } ?? "") of \(objectID): \(message) (\(cocoaCode))" }
}

/// All validation failures of a save; nothing was saved.
public struct ValidationError: Error, Sendable, CustomStringConvertible {
    /// All failures, at least one.
    public let failures: [ValidationFailure]

    /// Core Data's code: that of the one failure, or 1560 for several.
    public var cocoaCode: Int { failures.count == 1 ? failures[0].cocoaCode : 1560 }

    /// The first failures, and the number of others.
    public var description: String { failures.listed }
}

extension [ValidationFailure] {
    /// Adds the error of an object's own validation method, where it throws one.
    mutating func addError(of object: ManagedObject, _ key: String? = nil, _ value: Value = .null, _ validate: () throws -> Void) {
        do { try validate() } catch let failure as ValidationFailure {
            append(failure)
        } catch let error as ValidationError {
            self += error.failures
        } catch {
            append(ValidationFailure(error, object, key: key, value: value))
        }
    }
}
