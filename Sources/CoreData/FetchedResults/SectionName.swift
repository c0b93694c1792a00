import Foundation
import StrataGraph
import StrataModel

/// The names of sections, as key-value coding writes the values at the end of their path.
enum SectionName {
    static func of(_ object: ManagedObject, _ path: String) -> String {
        text((object as? NSManagedObject)?.value(forKeyPath: path))
    }

    /// Returns the name of the section of any result: a dictionary has the whole path as a key.
    static func of(_ result: AnyObject, _ path: String, in context: NSManagedObjectContext) -> String {
        switch result {
        case let dictionary as NSDictionary: text(dictionary.object(forKey: path))
        case let id as NSManagedObjectID: text(context.object(with: id).value(forKeyPath: path))
        default: ""
        }
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case nil, is NSNull: ""
        case let text as String: text
        case let number as NSNumber where number.isFloatingPoint: number.description.withoutFractionOfZero
        case let value?: "\(value)"
        }
    }

    /// Returns the conversion from the graph's names for values of a type to those of key-value coding's numbers.
    static func renaming(_ type: AttributeType?) -> ((String) -> String)? {
        switch type {
        case .boolean: { $0 == "true" ? "1" : $0 == "false" ? "0" : $0 }
        case .double, .float: { $0.withoutFractionOfZero }
        default: nil
        }
    }

    /// Returns the error of an object that is not adjacent to those of its section.
    static func outOfOrder(_ name: String, at index: Int) -> NSError {
        let reason =
            "The fetched object at index \(index) has an out of order section name '\(name)'. Objects must be sorted by section name"
        return NSError(domain: NSCocoaErrorDomain, code: NSCoreDataError, userInfo: ["reason": reason])
    }
}

extension String {
    /// The text of a number as Foundation writes it: a whole one without a fraction.
    fileprivate var withoutFractionOfZero: String { hasSuffix(".0") ? String(dropLast(2)) : self }
}
