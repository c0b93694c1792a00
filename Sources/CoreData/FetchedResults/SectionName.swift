import Foundation
import StrataGraph
import StrataModel

/// The name of a section, known by its bytes: names that only look the same are others.
struct SectionName: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    /// The name of the section that a managed object is in.
    init(of object: ManagedObject, _ path: String) {
        self.init(SectionName.text((object as? NSManagedObject)?.value(forKeyPath: path)))
    }

    /// The name of the section that a result of any kind is in: a dictionary has the whole path as a key.
    init(of result: AnyObject, _ path: String, in context: NSManagedObjectContext) {
        switch result {
        case let dictionary as NSDictionary: self.init(SectionName.text(dictionary.object(forKey: path)))
        case let id as NSManagedObjectID: self.init(SectionName.text(context.object(with: id).value(forKeyPath: path)))
        default: self.init("")
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

    /// How names that the graph makes of values of a type become those of key-value coding's numbers.
    static func renaming(_ type: AttributeType?) -> ((String) -> String)? {
        switch type {
        case .boolean: { $0 == "true" ? "1" : $0 == "false" ? "0" : $0 }
        case .double, .float: { $0.withoutFractionOfZero }
        default: nil
        }
    }

    /// The error of an object that is not next to those of its section.
    func outOfOrder(at index: Int) -> NSError {
        let reason =
            "The fetched object at index \(index) has an out of order section name '\(text)'. Objects must be sorted by section name"
        return NSError(domain: NSCocoaErrorDomain, code: NSCoreDataError, userInfo: ["reason": reason])
    }

    static func == (a: SectionName, b: SectionName) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }
    func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }
}

extension String {
    /// A number as Foundation's are written: a whole one without a fraction.
    fileprivate var withoutFractionOfZero: String { hasSuffix(".0") ? String(dropLast(2)) : self }
}
